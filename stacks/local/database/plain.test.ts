import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { checkTypes, checkValidations, ruleOf } from './dynalite.ts'
import { setAside } from './plain.ts'

const text = fc.oneof(fc.string(), fc.constantFrom('0', '-1', '1.50', '1e3', '007', '9'.repeat(40)))
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.record({ S: fc.oneof(text, fc.constantFrom(1, null, {})) }),
    fc.record({ N: fc.oneof(text, fc.constantFrom(1, null)) }),
    fc.record({ B: fc.constantFrom('AA==', 'A', 1) }),
    fc.record({ BOOL: fc.constantFrom(true, false, 'yes', 1) }),
    fc.record({ NULL: fc.constantFrom(true, false, 'no') }),
    fc.record({ SS: fc.array(text, { maxLength: 2 }) }),
    fc.record({ S: text, N: text }),
    fc.constantFrom(null, 1, 'a', [], {}, { X: 'a' }),
    fc.record({ L: fc.oneof(fc.array(tie('value'), { maxLength: 2 }), fc.constant({})) }),
    fc.record({ M: fc.dictionary(fc.constantFrom('x', '__proto__'), tie('value')) }),
  ),
}))
const item = fc.oneof(fc.dictionary(fc.constantFrom('pk', 'sk', 'a'), value), value)
const key = fc.record({ pk: fc.record({ S: text }), sk: fc.record({ S: text }) })

/** Returns a request after validation, or its error. */
function checked(operation: string, request: string, quick: boolean): unknown {
  const { types, custom } = ruleOf(operation)
  const input = JSON.parse(request) as object
  try {
    const putBack = quick ? setAside(input) : () => {}
    const data = checkTypes(input, types)
    putBack(data)
    checkValidations(data, types, custom, { options: { maxItemSize: Infinity } })
    return JSON.parse(JSON.stringify(data))
  } catch (error) {
    return (error as { body?: unknown }).body ?? (error as Error).message
  }
}

it.each(['putItem', 'updateItem', 'batchGetItem', 'batchWriteItem'])(
  'a request for %s is accepted or rejected as without the fast path for plain values',
  (operation) => {
    const request = fc.record(
      {
        TableName: fc.constant('rows'),
        Item: item,
        Key: fc.oneof(key, item),
        UpdateExpression: fc.constant('SET a = :a'),
        ExpressionAttributeValues: fc.oneof(fc.record({ ':a': value }), item),
        RequestItems: fc.record({
          rows: fc.oneof(
            fc.record({ Keys: fc.array(fc.oneof(key, item), { maxLength: 3 }) }),
            fc.array(fc.record({ PutRequest: fc.record({ Item: item }) }), { maxLength: 2 }),
          ),
        }),
      },
      { requiredKeys: ['TableName'] },
    )
    fc.assert(
      fc.property(request, (given) => {
        const sent = JSON.stringify(given)
        expect(checked(operation, sent, true)).toEqual(checked(operation, sent, false))
      }),
      { numRuns: 500 },
    )
  },
)
