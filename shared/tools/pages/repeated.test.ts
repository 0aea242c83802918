import { expect, it } from 'vitest'
import { pageReader } from './read.ts'

function read(...pieces: string[]) {
  const reader = pageReader({ url: new URL('https://pages.test/a/b'), isXhtml: false })
  for (const piece of pieces) reader.write(piece)
  return reader.end()
}

/** Nested elements that HTML closes only at the end of the page. */
const nested = (name: string, count: number) =>
  Array.from({ length: count }, (_, i) => `<${name}>${i} <object>`).join('')

it('rejects a page whose nested elements repeat its text too often', () => {
  expect(() => read(nested('p', 64), nested('h1', 64), 'word '.repeat(40_000))).toThrow(
    'The page has too much text in elements within each other',
  )
})

it('reads a page that is one paragraph, even if all of it is one link', () => {
  const text = 'word '.repeat(1_048_000).trim()
  const { paragraphs, links } = read(`<p><a href=c>${text}</a></p>`)
  expect(paragraphs).toEqual([text])
  expect(links[0]?.href).toBe('https://pages.test/a/c')
})

it('omits addresses of excessive length, and all addresses of such a base', () => {
  const long = 'x'.repeat(8192)
  const own = read(`<a href=/${long}>no</a><img src=/${long}><a href=/short>yes</a>`)
  expect(own.links).toEqual([{ href: 'https://pages.test/short', text: 'yes' }])
  expect(own.images).toEqual([])
  const based = read(
    '<a href=before>before</a>',
    `<base href="https://pages.test/${'x'.repeat(1_000_000)}/">`,
    '<a href=one>one</a><img src=two>'.repeat(100),
  )
  expect([based.links, based.images]).toEqual([[], []])
})
