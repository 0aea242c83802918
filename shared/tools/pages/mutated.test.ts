import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyCharacter } from '#tests/support/platform/any-character.ts'
import { realPage } from '#tests/support/tools/real-pages.ts'
import { pageReader } from './read.ts'

const page = realPage('node-path').slice(0, 8000)
const at = fc.nat(page.length)

/** A change of a page: moves or removes a piece, or inserts one that typically breaks pages. */
const change = fc.oneof(
  fc.tuple(at, at, at).map(([from, to, place]) => (text: string) => {
    const piece = text.slice(Math.min(from, to), Math.min(from, to) + 200)
    return text.slice(0, place) + piece + text.slice(place)
  }),
  fc.tuple(at, fc.nat(300)).map(
    ([from, length]) =>
      (text: string) =>
        text.slice(0, from) + text.slice(from + length),
  ),
  fc
    .tuple(
      at,
      fc.oneof(
        fc.constantFrom(
          '<',
          '</',
          '>',
          '"',
          "'",
          '&',
          '<!--',
          '-->',
          '<![CDATA[',
          ']]>',
          '\0',
          '\ud83d',
        ),
        fc.constantFrom(
          '<svg>',
          '<math>',
          '<template>',
          '<table>',
          '<select>',
          '<title>',
          '<plaintext>',
        ),
        fc.string({ unit: anyCharacter, maxLength: 20 }),
      ),
    )
    .map(
      ([place, piece]) =>
        (text: string) =>
          text.slice(0, place) + piece + text.slice(place),
    ),
)

it('5,000 randomly changed pages are parsed, at any chunk boundary', () => {
  const url = new URL('https://example.com/')
  fc.assert(
    fc.property(
      fc.array(change, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 9000 }),
      (changes, length) => {
        const text = changes.reduce((changed, one) => one(changed), page)
        const reader = pageReader({ url, isXhtml: false })
        for (let from = 0; from < text.length; from += length)
          reader.write(text.slice(from, from + length))
        const whole = pageReader({ url, isXhtml: false })
        whole.write(text)
        const fields = whole.end()
        expect(reader.end()).toEqual(fields)
        for (const { text: label } of fields.links)
          expect(label.isWellFormed() || !text.isWellFormed()).toBe(true)
      },
    ),
    { numRuns: 5000, seed: 1 },
  )
})
