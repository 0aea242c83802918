import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const below = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)
const pages = ['README.md', 'AGENTS.md', ...below('docs'), ...below('shared')]

interface Link {
  page: string
  target: string
  /** The anchor of a heading, as GitHub generates it. */
  anchor: string | undefined
  /** Words of the name of a test, in a note that links to it. */
  words: string | undefined
}

/** Returns the links of a page to files beside it, and within itself. */
function linksOf(page: string): Link[] {
  const text = readFileSync(join(root, page), 'utf8')
  const notes = [...text.matchAll(/^\[\^\d+\]:\s+\[([^]*?)\]\(([^)\s]+)\)$/gm)].map(
    ([, words = '', target = '']) => ({ page, target, anchor: undefined, words: spaced(words) }),
  )
  const others = [...text.matchAll(/\]\(([^)\s#]*)(?:#([^)\s]*))?\)/g)]
    .map(([, target = '', anchor]) => ({ page, target, anchor, words: undefined }))
    .filter(({ target }) => !/^[a-z]+:/.test(target))
  return [...notes, ...others]
}

/** Returns words without the formatter's line breaks and escapes. */
function spaced(words: string): string {
  return words.replaceAll(/\s+/g, ' ').replaceAll(/\\(?=[_*[\]<>])/g, '')
}

function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

const links = pages.flatMap(linksOf)

describe('the documents', () => {
  it.each(links)('$page links to $target $anchor', ({ page, target, anchor, words }) => {
    const file = target === '' ? join(root, page) : resolve(root, dirname(page), target)
    expect(existsSync(file)).toBe(true)
    if (anchor !== undefined && file.endsWith('.md'))
      expect(anchorsOf(readFileSync(file, 'utf8'))).toContain(anchor)
    if (words !== undefined) expect(readFileSync(file, 'utf8')).toContain(words)
  })

  it.each(pages)('%s explains each of its notes, and has no unused note', (page) => {
    const text = readFileSync(join(root, page), 'utf8')
    const notes = (pattern: RegExp) =>
      new Set(Array.from(text.matchAll(pattern), ([, number]) => number))
    expect(notes(/^\[\^(\d+)\]:/gm)).toEqual(notes(/(?<=.)\[\^(\d+)\]/g))
  })

  it('name a test for each promise about security', () => {
    const tested = links.filter(({ page, words }) => page === 'docs/design/security.md' && words)
    expect(tested.length).toBeGreaterThan(60)
    expect(tested.filter(({ target }) => !target.endsWith('.test.ts'))).toEqual([])
  })
})
