import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)]

interface Link {
  page: string
  target: string
  /** The anchor of a heading, as GitHub generates it. */
  anchor: string | undefined
  /** Words of the name of a linked test. */
  words: string | undefined
}

/** Returns the links of a page to files beside it, and within itself. */
function linksOf(page: string): Link[] {
  const text = readFileSync(join(root, page), 'utf8')
  return [...text.matchAll(/\]\(([^)\s#]*)(?:#([^)\s]*))?(?:\s+(["'])(.*?)\3)?\)/g)]
    .map(([, target = '', anchor, , words]) => ({ page, target, anchor, words }))
    .filter(({ target }) => !/^[a-z]+:/.test(target))
}

function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

const links = pages.filter((page) => page.endsWith('.md')).flatMap(linksOf)

describe('the documents', () => {
  it.each(links)('$page leads to $target $anchor', ({ page, target, anchor, words }) => {
    const file = target === '' ? join(root, page) : resolve(root, dirname(page), target)
    expect(existsSync(file)).toBe(true)
    if (anchor !== undefined && file.endsWith('.md'))
      expect(anchorsOf(readFileSync(file, 'utf8'))).toContain(anchor)
    if (words !== undefined) expect(readFileSync(file, 'utf8')).toContain(words)
  })

  it('name a test for what they promise of security', () => {
    const tested = links.filter(({ page, words }) => page === 'docs/security.md' && words)
    expect(tested.length).toBeGreaterThan(60)
    expect(tested.filter(({ target }) => !target.endsWith('.test.ts'))).toEqual([])
  })
})
