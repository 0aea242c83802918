import { fetchPage, type FetchedPage, tookTooLong } from './fetch.ts'
import { type PageContent, PageFields } from './fields.ts'
import { TagReader } from './html/tags.ts'
import { PageTree } from './html/tree.ts'
import { withinMs } from './limits.ts'
import type { PageSource } from './source.ts'

/** The length of text that is parsed in one step, which limits how long other work waits. */
const pieceLength = 65_536

/** Reads a page that arrives in pieces. */
export interface PageReader<Content> {
  write(text: string): void
  /** @param leftMs the time until the request times out */
  end(leftMs: number): Content
}

/**
 * Fetches a page and reads it while it arrives. Does not store the page.
 * @param readerOf creates the reader after the headers have arrived
 * @throws PlatformError 400 for an address that the guard refuses, 500 for every other failure
 */
export async function readPageBy<Content>(
  source: PageSource,
  address: string,
  readerOf: (page: FetchedPage) => PageReader<Content>,
): Promise<Content> {
  const deadline = performance.now() + withinMs
  const over = new AbortController()
  const timer = setTimeout(() => over.abort(), withinMs)
  try {
    const page = await fetchPage(source, address, over.signal)
    const reader = readerOf(page)
    try {
      for await (const text of page.text) {
        for (let at = 0; at < text.length; at += pieceLength) {
          if (performance.now() > deadline) throw tookTooLong()
          reader.write(text.slice(at, at + pieceLength))
        }
      }
    } finally {
      page.close()
    }
    const content = reader.end(deadline - performance.now())
    if (performance.now() > deadline) throw tookTooLong()
    return content
  } catch (error) {
    throw over.signal.aborted ? tookTooLong() : error
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Returns the fields of a page.
 * @throws PlatformError as `readPageBy`
 */
export async function readPage(source: PageSource, address: string): Promise<PageContent> {
  return readPageBy(source, address, pageReader)
}

/**
 * Reads the fields of a page whose text arrives in pieces.
 * @param page `url`: the page's address
 */
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
