import { failed, fetchPage } from './fetch.ts'
import { type PageContent, PageFields } from './fields.ts'
import { TagReader } from './html/tags.ts'
import { PageTree } from './html/tree.ts'
import { withinMs } from './limits.ts'
import type { PageSource } from './source.ts'

/** Of the page's text at a time, so that nothing else waits longer than for reading as much. */
const pieceLength = 65_536

/**
 * Fetches a page and reads its fields while it arrives; nothing of it is kept.
 * @throws PlatformError 400 for an address that the guard refuses, 500 for anything else that goes wrong
 */
export async function readPage(source: PageSource, address: string): Promise<PageContent> {
  const deadline = performance.now() + withinMs
  const late = () => failed(`The page took longer than ${withinMs / 1000} s`)
  const over = new AbortController()
  const timer = setTimeout(() => over.abort(), withinMs)
  try {
    const page = await fetchPage(source, address, over.signal)
    const reader = pageReader(page)
    try {
      for await (const text of page.text) {
        if (performance.now() > deadline) throw late()
        reader.write(text)
      }
    } finally {
      page.close()
    }
    const content = reader.end()
    if (performance.now() > deadline) throw late()
    return content
  } catch (error) {
    throw over.signal.aborted ? late() : error
  } finally {
    clearTimeout(timer)
  }
}

/** Reads the fields of a page whose text comes in pieces. @param page `url`: where it came from */
export function pageReader({ url, isXhtml }: { url: URL; isXhtml: boolean }) {
  const fields = new PageFields(url)
  const tags = new TagReader(new PageTree(fields), { isXhtml })
  return {
    write(text: string): void {
      for (let at = 0; at < text.length; at += pieceLength)
        tags.write(text.slice(at, at + pieceLength))
    },
    end(): PageContent {
      tags.end()
      return fields.content()
    },
  }
}
