import fc from 'fast-check'

/** Numbers at the limits of doubles, of exact integers and of the table, which stores no number below 1e-130. */
const numbers = [
  0,
  -0,
  1,
  -1,
  5e-324,
  1e-200,
  1e-131,
  1e-130,
  1e-9,
  0.1 + 0.2,
  1 / 3,
  2 ** 31,
  2 ** 32,
  2 ** 53 - 1,
  2 ** 53,
  2 ** 53 + 2,
  1e21,
  1e125,
  1e126,
  1e300,
  Number.MAX_VALUE,
]

/** Returns the extreme numbers between two bounds, and the bounds. */
export function extremeNumbers(min: number, max: number): number[] {
  const all = [...numbers, ...numbers.map((number) => -number), min, max]
  return all.filter((number) => number >= min && number <= max)
}

/** One character each, of one to four bytes in UTF-8. The last is half a surrogate pair. */
const characters = ['a', ' ', '\0', '\n', '\u007f', 'é', '\u2028', '字', '😀', '\uFFFF', '\uD800']

/** Texts of one repeated character whose length is a limit, or one more. Lengths are in UTF-16 units, as in zod. */
export function extremeTexts(minLength: number, maxLength: number): fc.Arbitrary<string> {
  const lengths = [minLength, maxLength, maxLength + 1]
  return fc
    .tuple(fc.constantFrom(...characters), fc.constantFrom(...lengths))
    .map(([character, length]) => character.repeat(Math.ceil(length / character.length)))
}

/** Dates and times at the limits of calendars and of parsers. */
export const extremeDates: readonly string[] = [
  '0000-01-01',
  '9999-12-31',
  '2025-02-29',
  '2024-02-30',
  '1970-01-01',
  '+275760-09-13',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00.000Z',
  '9999-12-31T23:59:59.999Z',
  '+275760-09-13T00:00:00.000Z',
  '-271821-04-20T00:00:00.000Z',
  '2016-12-31T23:59:60Z',
  '2024-12-31T24:00:00Z',
  '2025-01-01T00:00:00+14:00',
  '2025-01-01T00:00:00-23:59',
  '2025-01-01T00:00:00.123456789Z',
  '2025-01-01T00:00',
  'Europe/Berlin',
  'America/Argentina/ComodRivadavia',
  '+05:45',
  'Etc/GMT+12',
  'UTC\0',
]

/** Objects and lists that are deep or wide, and names of properties that objects inherit. */
export const extremeValues = fc.oneof(
  fc.constantFrom(31, 32, 33, 100, 1000).map((depth) => nested(depth, {})),
  fc.constantFrom(31, 32, 33, 100, 1000).map((depth) => nested(depth, [])),
  fc
    .constantFrom(100, 1000, 10_000)
    .map((width) => Object.fromEntries(Array.from({ length: width }, (_, i) => [`name${i}`, i]))),
  fc.constantFrom(100, 1000, 10_000).map((width) => Array.from({ length: width }, () => [])),
  fc
    .constantFrom('', '__proto__', 'constructor', 'toString', '\uD800', 'a'.repeat(70_000), 'a.b')
    .chain((name) => fc.constantFrom('x', 1e-200, 1e300, {}).map((value) => ({ [name]: value }))),
)

function nested(depth: number, leaf: unknown): unknown {
  let value = leaf
  for (let i = 0; i < depth; i++) value = Array.isArray(leaf) ? [value] : { a: value }
  return value
}
