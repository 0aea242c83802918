import fc from 'fast-check'
import { anyCharacter } from '../support/platform/any-character.ts'

/** Values that have broken programs before. */
const nasty: readonly unknown[] = [
  null,
  '',
  ' ',
  '\0',
  '\uD800',
  '\uFFFF',
  '\u202Egnirts',
  '__proto__',
  'constructor',
  '../../etc/passwd',
  "' OR 1=1 --",
  '#pk',
  ':pk',
  'user#x',
  '@platform',
  '${7*7}',
  '\r\nSet-Cookie: service-session=x',
  'ﬀ'.repeat(100),
  'a'.repeat(100_000),
  '9'.repeat(400),
  '-1',
  'NaN',
  '1e999',
  -1,
  0.1 + 0.2,
  1e308,
  Number.MAX_SAFE_INTEGER + 2,
  true,
  [],
  {},
  [[[[[[[[[[]]]]]]]]]],
  { __proto__: { isAdmin: true } },
  { $ne: null },
  { toString: 1, length: -1 },
]

const nastyValue = fc.constantFrom(...nasty)

export const nastyText = fc.oneof(
  fc.constantFrom(...nasty.filter((one): one is string => typeof one === 'string')),
  fc.string({ unit: anyCharacter, maxLength: 200 }),
)

/** Removes or replaces one part of a value. */
export function broken(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.tuple(value, nastyValue, fc.nat(), fc.boolean()).map(spoil)
}

function spoil([whole, bad, where, drop]: [unknown, unknown, number, boolean]): unknown {
  if (whole === null || typeof whole !== 'object') return bad
  const names = Object.keys(whole)
  const name = names[where % names.length]
  if (name === undefined) return { extra: bad }
  const { [name]: _gone, ...rest } = whole as Record<string, unknown>
  return drop ? rest : { ...rest, [name]: bad }
}

/** Bodies that are not JSON, or JSON that no client would write. */
export const brokenText = fc.oneof(
  fc.constantFrom(
    '',
    '{',
    '{"name":',
    'null',
    '[]',
    '"text"',
    '\uFEFF{}',
    '{"a":1}{"a":2}',
    '{"__proto__":{"isAdmin":true},"name":"x"}',
    '['.repeat(20_000),
    `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`,
    '{"name":"\\ud800"}',
    '{"name":1e9999}',
  ),
  fc.json({ maxDepth: 4 }),
  fc.string({ unit: anyCharacter, maxLength: 300 }),
)
