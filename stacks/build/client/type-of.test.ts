import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { temporaryDir } from '#stacks/local/testing/harness.ts'
import { type JsonSchema, typeOf } from './type-of.ts'

const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc')

type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/** A schema with sample values. Some match it; others matched before a part of them was changed. */
interface Sample {
  schema: z.ZodType
  values: Json[]
}

interface Kind {
  schema: z.ZodType
  own: fc.Arbitrary<Json>
}

/** No fractions, because the type of an integer accepts them too. */
const primitive: fc.Arbitrary<Json> = fc.constantFrom<Json[]>(
  'a',
  'b',
  '',
  1,
  -2,
  true,
  false,
  null,
)

const kinds = fc.letrec<{ kind: Kind }>((tie) => {
  const kind = tie('kind')
  const leaf = fc.oneof(
    fc.constant<Kind>({ schema: z.string(), own: fc.constantFrom('a', 'z') }),
    fc.constant<Kind>({ schema: z.number(), own: fc.constantFrom(1, 7) }),
    fc.constant<Kind>({ schema: z.int(), own: fc.constantFrom(1, 7) }),
    fc.constant<Kind>({ schema: z.boolean(), own: fc.boolean() }),
    fc.constant<Kind>({ schema: z.enum(['a', 'c']), own: fc.constantFrom('a', 'c') }),
    fc
      .constantFrom('a', 1, true, null)
      .map((value): Kind => ({ schema: z.literal(value), own: fc.constant(value) })),
  )
  const object = fc
    .tuple(kind, fc.dictionary(fc.constantFrom('b', 'c-d'), fc.tuple(kind, fc.boolean())))
    .map(([first, others]): Kind => {
      const shape: Record<string, z.ZodType> = { a: first.schema }
      const own: Record<string, fc.Arbitrary<Json>> = { a: first.own }
      const required = ['a']
      for (const [name, [each, isOptional]] of Object.entries(others)) {
        shape[name] = isOptional ? each.schema.optional() : each.schema
        own[name] = each.own
        if (!isOptional) required.push(name)
      }
      return { schema: z.object(shape), own: fc.record(own, { requiredKeys: required }) }
    })
  return {
    kind: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      leaf,
      object,
      kind.map(({ schema, own }) => ({
        schema: z.array(schema),
        own: fc.array(own, { maxLength: 2 }),
      })),
      fc.tuple(kind, kind).map(([one, other]) => ({
        schema: z.tuple([one.schema, other.schema]),
        own: fc.tuple(one.own, other.own),
      })),
      fc.tuple(kind, kind).map(([one, other]) => ({
        schema: z.union([one.schema, other.schema]),
        own: fc.oneof(one.own, other.own),
      })),
      kind.map(({ schema, own }) => ({
        schema: schema.nullable(),
        own: fc.oneof(own, fc.constant(null)),
      })),
      kind.map(({ schema, own }) => ({
        schema: z.record(z.string(), schema),
        own: fc.dictionary(fc.constantFrom('a', 'b'), own, { maxKeys: 2 }),
      })),
    ),
  }
}).kind

/** Returns a value with one place replaced by another value, or with a part removed. */
function changed(value: Json, at: number, other: Json): Json {
  if (value === null || typeof value !== 'object') return other
  const names = Object.keys(value)
  const name = names[at % (names.length + 1)]
  if (name === undefined) return other
  if (Array.isArray(value))
    return at % 2 === 0
      ? value.slice(1)
      : value.map((part, i) => (String(i) === name ? changed(part, at >> 1, other) : part))
  const { [name]: part = null, ...rest } = value
  return at % 2 === 0 ? rest : { ...rest, [name]: changed(part, at >> 1, other) }
}

const samples: fc.Arbitrary<Sample> = kinds.chain(({ schema, own }) =>
  fc.array(fc.tuple(own, fc.nat(63), primitive), { minLength: 3, maxLength: 3 }).map((all) => ({
    schema,
    values: all.flatMap(([value, at, other]) => [value, changed(value, at, other)]),
  })),
)

/** Returns the type that has only this value. */
function onlyTypeOf(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(onlyTypeOf).join(', ')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const fields = Object.entries(value).map(
    ([name, part]) => `${JSON.stringify(name)}: ${onlyTypeOf(part)}`,
  )
  return `{ ${fields.join('; ')} }`
}

it('a generated type accepts exactly the values of its schema', async () => {
  const cases = fc.sample(samples, 150).flatMap(({ schema, values }) => {
    const type = typeOf(z.toJSONSchema(schema, { io: 'input' }) as JsonSchema)
    return values.map((value) => ({ type, value, takes: schema.safeParse(value).success }))
  })
  await using folder = await temporaryDir()
  const lines = cases.map(({ type, value }, i) =>
    `export declare const v${i}: ${onlyTypeOf(value)}; export const t${i}: ${type.replaceAll('\n', ';')} = v${i}`.replaceAll(
      '{;',
      '{',
    ),
  )
  await writeFile(join(folder.path, 'cases.ts'), lines.join('\n'))
  const options = [
    '--noEmit',
    '--strict',
    '--target',
    'es2022',
    '--lib',
    'es2022',
    '--pretty',
    'false',
  ]
  const running = promisify(execFile)(process.execPath, [compiler, ...options, 'cases.ts'], {
    cwd: folder.path,
    maxBuffer: 1e8,
  })
  const said = await running.then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  )
  const refused = new Set(
    [...said.matchAll(/^cases\.ts\((\d+),/gm)].map(([, line]) => Number(line) - 1),
  )
  const wrong = cases.filter(({ takes }, i) => takes === refused.has(i))
  expect(wrong.slice(0, 3)).toEqual([])
  // The samples must contain enough accepted and rejected values.
  expect(cases.filter(({ takes }) => takes).length).toBeGreaterThan(cases.length / 4)
  expect(refused.size).toBeGreaterThan(cases.length / 20)
})
