import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseUpTo } from './json.ts'

/** Counts all values in a value, itself included. */
function count(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return 1 + Object.values(value).reduce<number>((sum, inner) => sum + count(inner), 0)
}

it('accepts the same as JSON.parse, up to the limits', () => {
  fc.assert(
    fc.property(fc.json({ stringUnit: 'grapheme' }), (text) => {
      const value: unknown = JSON.parse(text)
      expect(parseUpTo(text, 2 * count(value))).toEqual(value)
    }),
  )
})

it('ignores brackets within a string', () => {
  const text = String.raw`{"a,[{":"\\\",[{\\","b":"[[[,,,"}`
  expect(parseUpTo(text, 4)).toEqual(JSON.parse(text))
})

it.each([
  ['lists in lists', `${'['.repeat(1001)}${']'.repeat(1001)}`],
  ['lists in a list', `[${Array.from({ length: 1000 }, () => '[]').join()}]`],
  ['numbers', `[${Array.from({ length: 1001 }, () => '0').join()}]`],
  ['fields', JSON.stringify(Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [i, 0])))],
  ['lists after a string', String.raw`["\\",${'[],'.repeat(1000)}[]]`],
])('rejects too many %s', (_, text) => {
  expect(() => parseUpTo(text, 1000)).toThrow('the text has more than 1000 values')
  expect(parseUpTo(text, 3000)).toEqual(JSON.parse(text))
})

it.each(['', '{', '"', String.raw`"\"`, '[1,]'])('rejects invalid JSON: %s', (text) => {
  expect(() => parseUpTo(text, 1000)).toThrow(SyntaxError)
})
