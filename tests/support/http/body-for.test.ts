import { expect, it } from 'vitest'
import * as z from 'zod'
import { changeFor } from './body-for.ts'

it('changes every field of a schema to another value, and fails for a field without one', () => {
  const schema = z.object({ name: z.string().max(2).optional(), pinned: z.boolean().optional() })
  for (const from of [
    { name: 'a', pinned: true },
    { name: '', pinned: false },
  ]) {
    const change = changeFor(schema, from)
    expect(schema.parse(change)).toEqual({ name: expect.any(String), pinned: !from.pinned })
    expect(change.name).not.toBe(from.name)
  }
  const fixed = z.object({ kind: z.literal('one').optional() })
  expect(() => changeFor(fixed, { kind: 'one' })).toThrow('the field kind has no other value')
})
