import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { refusals } from './accepts.ts'
import { lastRelease } from './last-release.ts'
import { type Forms, formsOfCode } from './schemas.ts'

const last = JSON.parse(await readFile(join(import.meta.dirname, 'last.json'), 'utf8')) as Forms
const today = JSON.parse(JSON.stringify(await formsOfCode())) as Forms

/**
 * During a rollout this release and the last one run side by side, and a rollback restores the last one. A form that
 * fails here needs two releases: the first reads both forms, the second writes the new one. See docs/operate/deploy.md.
 */
describe.each(['rows', 'messages'] as const)('%s of the last release and of this one', (kind) => {
  const both = Object.keys(last[kind]).filter((name) => name in today[kind])

  it('are found', () => {
    expect(both.length).toBeGreaterThan(10)
  })

  it.each(both)('%s: the last release reads rows of this one', (name) => {
    expect(refusals(last[kind][name]?.reads, today[kind][name]?.writes, name)).toEqual([])
  })

  // Rows of an older version are read by the upgrade that is declared with them.
  const alike = both.filter((name) => last[kind][name]?.version === today[kind][name]?.version)

  it.each(alike)('%s: this release reads rows of the last one', (name) => {
    expect(refusals(today[kind][name]?.reads, last[kind][name]?.writes, name)).toEqual([])
  })
})

describe('the compatibility of two formats', () => {
  const told = (reader: z.ZodType, writer: z.ZodType) =>
    refusals(z.toJSONSchema(reader, { io: 'input' }), z.toJSONSchema(writer), 'it')
  const row = z.object({ id: z.string(), kind: z.enum(['a', 'b']) })
  const named = (kinds: string[], id: string) => z.object({ kind: z.enum(kinds) }).meta({ id })

  it.each([
    ['an additional field', row, row.extend({ more: z.number() })],
    ['a field that is optional for the reader', row.extend({ more: z.number().optional() }), row],
    ['a field with a default', row.extend({ more: z.number().default(1) }), row],
    ['fewer enum values', row, row.extend({ kind: z.enum(['a']) })],
    ['a missing alternative', z.union([z.string(), z.number()]), z.string()],
    ['a shorter string', z.string().max(10), z.string().max(5)],
    ['an integer', z.number(), z.int()],
  ])('accepts %s', (_, reader, writer) => {
    expect(told(reader, writer)).toEqual([])
  })

  it.each([
    [
      'a field that is required for the reader',
      row.extend({ more: z.number() }),
      row,
      'it.more may be missing',
    ],
    ['a field that is unknown to a strict reader', z.strictObject({}), row, 'it.id is not known'],
    [
      'an additional enum value',
      row,
      row.extend({ kind: z.enum(['a', 'b', 'c']) }),
      'it.kind may be "c"',
    ],
    ['another type', row, row.extend({ id: z.number() }), 'it.id may be of type number'],
    ['null', z.string(), z.string().nullable(), 'it may be of type null'],
    ['a longer string', z.string().max(5), z.string(), 'it may be outside of maxLength 5'],
    ['a nested field', z.array(row), z.array(row.omit({ id: true })), 'it[].id may be missing'],
    [
      'an additional enum value of a schema with a name',
      named(['a'], 'KindOne'),
      named(['a', 'b'], 'KindTwo'),
      'it.kind may be "b"',
    ],
    [
      'an additional enum value of a named part',
      z.object({ part: named(['a'], 'PartOne') }),
      z.object({ part: named(['a', 'b'], 'PartTwo') }),
      'it.part.kind may be "b"',
    ],
  ])('rejects %s', (_, reader, writer, refusal) => {
    expect(told(reader, writer)).toContain(refusal)
  })
})

it('a named release that the clone does not have is an error, not a skip', async () => {
  await expect(lastRelease('no-such-release')).rejects.toThrow('does not have no-such-release')
})
