import fc from 'fast-check'

const surrogates = 0x800

/**
 * Any code point except surrogates, as fast-check's unit `binary`. That unit creates a table of all code points, which
 * takes a second and 90 MB in each process.
 */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10_ffff - surrogates })
  .map(characterOf, indexOf)

function characterOf(index: number): string {
  return String.fromCodePoint(index < 0xd800 ? index : index + surrogates)
}

function indexOf(character: unknown): number {
  const point = typeof character === 'string' ? character.codePointAt(0) : undefined
  if (point === undefined || character !== String.fromCodePoint(point))
    throw new Error('not a character')
  return point < 0xd800 ? point : point - surrogates
}
