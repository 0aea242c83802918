import { beforeEach, describe, expect, it } from 'vitest'
import { openEngine } from './engine.ts'
import { type Consumed, metered } from './meter.ts'

const told: Consumed[] = []
let call: (operation: string, input: object) => object

beforeEach(() => {
  told.length = 0
  call = metered(openEngine({ dir: ':memory:' }), (consumed) => told.push(consumed)).call
  call('CreateTable', {
    TableName: 'things',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  })
})

const item = (pk: string, bytes = 1) => ({ pk: { S: pk }, text: { S: 'a'.repeat(bytes) } })
const put = (pk: string, bytes?: number, rest = {}) =>
  call('PutItem', { TableName: 'things', Item: item(pk, bytes), ...rest })
const absent = { ConditionExpression: 'attribute_not_exists(pk)' }

describe('the meter', () => {
  it('returns the capacity of a write and a read of an item by its size', () => {
    put('one', 1500)
    const get = { TableName: 'things', Key: { pk: { S: 'one' } } }
    call('GetItem', { ...get, ConsistentRead: true })
    call('GetItem', get)
    expect(told).toEqual([
      { operation: 'PutItem', reads: 0, writes: 2 },
      { operation: 'GetItem', reads: 1, writes: 0 },
      { operation: 'GetItem', reads: 0.5, writes: 0 },
    ])
  })

  it('counts a transaction as twice its writes, even if it is rejected', () => {
    const writes = ['one', 'two'].map((pk) => ({
      Put: { TableName: 'things', Item: item(pk), ...absent },
    }))
    call('TransactWriteItems', { TransactItems: writes })
    expect(() => call('TransactWriteItems', { TransactItems: writes })).toThrow('cancelled')
    expect(told.map(({ writes: units }) => units)).toEqual([4, 4])
  })

  it('counts a rejected write like a successful one, and an invalid request as zero', () => {
    put('one')
    expect(() => put('one', 1, absent)).toThrow('conditional')
    expect(() => call('GetItem', { TableName: 'none', Key: { pk: { S: 'one' } } })).toThrow(
      'resource',
    )
    expect(told.map(({ reads, writes }) => [reads, writes])).toEqual([
      [0, 1],
      [0, 1],
      [0, 0],
    ])
  })

  it('changes no response except the requested capacity', () => {
    expect(put('one')).toEqual({})
    expect(put('two', 1, { ReturnConsumedCapacity: 'TOTAL' })).toEqual({
      ConsumedCapacity: { TableName: 'things', CapacityUnits: 1 },
    })
    expect(told.map(({ writes }) => writes)).toEqual([1, 1])
  })
})
