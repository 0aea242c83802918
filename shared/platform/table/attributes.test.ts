import { marshall } from '@aws-sdk/util-dynamodb'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { toAttributes } from './attributes.ts'

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string(),
    fc.double(),
    fc.integer(),
    fc.bigInt(),
    fc.boolean(),
    fc.constantFrom(
      null,
      undefined,
      () => 1,
      new URL('https://example.com'),
      new Date(0),
      Object.create(null),
    ),
    fc.uint8Array({ maxLength: 5 }),
    fc.uint8Array({ maxLength: 5 }).map((bytes) => Buffer.from(bytes)),
    fc.array(fc.string(), { maxLength: 2 }).map((texts) => new Set(texts)),
    fc
      .array(fc.oneof(fc.double(), fc.constant(undefined)), { maxLength: 2 })
      .map((n) => new Set(n)),
    fc.array(fc.uint8Array({ maxLength: 3 }), { maxLength: 2 }).map((bytes) => new Set(bytes)),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 3 }),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 2 }).map((o) => new Map(Object.entries(o))),
  ),
}))

/** Returns a value as in a request: bytes in base64. */
function sent(convert: () => unknown): unknown {
  try {
    return JSON.stringify(
      convert(),
      function (this: Record<string, unknown>, name, found: unknown) {
        const input = this[name]
        return input instanceof Uint8Array ? Buffer.from(input).toString('base64') : found
      },
    )
  } catch (error) {
    return (error as Error).message
  }
}

it('encodes every value as the SDK does, and rejects the same values', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), value, { maxKeys: 3 }), (values) => {
      const bySdk = sent(() => marshall(values, { removeUndefinedValues: true }))
      expect(sent(() => toAttributes(values))).toEqual(bySdk)
    }),
    { numRuns: 2000 },
  )
})
