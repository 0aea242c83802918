import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { longestNameBytes, longestPathBytes, namesIn, pathFault } from './path.ts'

const name = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  .filter((text) => text.isWellFormed() && !/[/\0]/.test(text) && text !== '.' && text !== '..')
const path = fc.array(name, { minLength: 1, maxLength: 8 }).map((names) => names.join('/'))

describe('the path of a file', () => {
  it('is valid with any names, and has exactly these names', () => {
    fc.assert(
      fc.property(path, (text) => {
        expect(pathFault(text)).toBeUndefined()
        expect(namesIn(text).join('/')).toBe(text)
      }),
    )
  })

  it.each(['', '.', '..'])('is invalid with the segment “%s” anywhere', (segment) => {
    fc.assert(
      fc.property(fc.array(name, { maxLength: 5 }), fc.nat(5), (names, at) => {
        const all = names.toSpliced(at, 0, segment)
        expect(pathFault(all.join('/'))).toEqual(expect.any(String))
      }),
    )
  })

  it.each(['/', '/a', 'a/', 'a//b', '../a', 'a/..', './a', 'a\0b', '\uD800', 'a/\uDC80'])(
    'is invalid: %j',
    (text) => expect(pathFault(text)).toEqual(expect.any(String)),
  )

  it.each(['...', 'a/...b', '.git', ' ', 'a\\..\\b', 'C:', '~', '%2e%2e', '\u202E', 'a\nb'])(
    'is valid: %j',
    (text) => expect(pathFault(text)).toBeUndefined(),
  )

  it('has names of at most 255 bytes, and at most 4,096 bytes', () => {
    expect(pathFault('x'.repeat(longestNameBytes))).toBeUndefined()
    expect(pathFault('x'.repeat(longestNameBytes + 1))).toContain('255 bytes')
    expect(pathFault('€'.repeat(85))).toBeUndefined()
    expect(pathFault('€'.repeat(86))).toContain('255 bytes')
    const deep = 'x/'.repeat(longestPathBytes / 2 - 1)
    expect(pathFault(`${deep}xy`)).toBeUndefined()
    expect(pathFault(`${deep}xyz`)).toContain('4096 bytes')
  })

  it('is not normalised', () => {
    expect(namesIn('e\u0301')).not.toEqual(namesIn('\u00E9'))
  })
})
