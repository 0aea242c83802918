import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { beforeAll, describe, expect, test } from 'vitest'
import { refusalName } from './subject.ts'
import type { SubjectOf } from './subject.ts'

export function items(subject: SubjectOf): void {
  describe('items', () => {
    let TableName: string
    beforeAll(async () => {
      TableName = await subject().createTable()
    })

    test('are put, read, replaced and deleted', async () => {
      const { doc } = subject()
      const Key = { pk: 'crud', sk: '1' }
      expect((await doc.get({ TableName, Key })).Item).toBeUndefined()
      await doc.put({ TableName, Item: { ...Key, a: 1, b: 2 } })
      await doc.put({ TableName, Item: { ...Key, a: 3 } })
      expect((await doc.get({ TableName, Key, ConsistentRead: true })).Item).toEqual({
        ...Key,
        a: 3,
      })
      await doc.delete({ TableName, Key })
      await doc.delete({ TableName, Key })
      expect((await doc.get({ TableName, Key })).Item).toBeUndefined()
    })

    test('keep every type of value exactly', async () => {
      const { client } = subject()
      const Item: Record<string, AttributeValue> = {
        pk: { S: 'types' },
        sk: { S: '\u{1F600}\u0000é' },
        empty: { S: '' },
        emptyBinary: { B: new Uint8Array() },
        number: { N: '12345678901234567890123456789012345678' },
        tiny: { N: '-0.00000000000000000000000000000000001' },
        binary: { B: Uint8Array.from([0, 1, 127, 128, 255]) },
        yes: { BOOL: true },
        nothing: { NULL: true },
        list: { L: [{ S: 'a' }, { L: [] }, { M: {} }] },
        map: { M: { 'a.b': { N: '1' }, constructor: { S: 'mine' } } },
        strings: { SS: ['a', 'b'] },
        numbers: { NS: ['1', '2.5'] },
        binaries: { BS: [Uint8Array.from([1]), Uint8Array.from([2])] },
      }
      await client.send(new PutItemCommand({ TableName, Item }))
      const Key = { pk: Item.pk!, sk: Item.sk! }
      const answer = await client.send(new GetItemCommand({ TableName, Key }))
      expect(answer.Item).toEqual(Item)
    })

    test('store a number in one normal form', async () => {
      const { client } = subject()
      const Key = { pk: { S: 'number' }, sk: { S: '1' } }
      const forms = { a: { N: '1.50' }, b: { N: '1E3' }, c: { N: '-0' }, d: { N: '007' } }
      await client.send(new PutItemCommand({ TableName, Item: { ...Key, ...forms } }))
      const { Item } = await client.send(new GetItemCommand({ TableName, Key }))
      expect(Item).toMatchObject({
        a: { N: '1.5' },
        b: { N: '1000' },
        c: { N: '0' },
        d: { N: '7' },
      })
    })

    test.each([
      ['a number of 39 digits', { N: '1'.repeat(39) }],
      ['a number too large', { N: '1e126' }],
      ['a number too small', { N: '1e-131' }],
      ['text for a number', { N: 'many' }],
      ['an empty set', { SS: [] }],
      ['a set with a member twice', { SS: ['a', 'a'] }],
      ['a false NULL', { NULL: false as true }],
    ])('reject %s', async (_, value: AttributeValue) => {
      const Item = { pk: { S: 'bad' }, sk: { S: '1' }, value }
      const put = subject().client.send(new PutItemCommand({ TableName, Item }))
      expect(await refusalName(put)).toBe('ValidationException')
    })

    test.each([
      ['a key attribute is missing', { pk: 'x' }],
      ['a key attribute has another type', { pk: 'x', sk: 1 }],
      ['a key attribute is empty', { pk: '', sk: '1' }],
      ['an index key has another type', { pk: 'x', sk: '1', owner: 1 }],
      ['an index key is empty', { pk: 'x', sk: '1', owner: '', at: 1 }],
      ['an attribute has no name', { pk: 'x', sk: '1', '': 1 }],
      ['a nested attribute has no name', { pk: 'x', sk: '1', list: [{ '': 1 }] }],
      ['a nested name is too long', { pk: 'x', sk: '1', map: { ['a'.repeat(65_536)]: 1 } }],
    ])('are rejected when %s', async (_, Item) => {
      expect(await refusalName(subject().doc.put({ TableName, Item }))).toBe('ValidationException')
    })

    test('are returned in part by a projection', async () => {
      const { doc } = subject()
      const Key = { pk: 'projection', sk: '1' }
      await doc.put({ TableName, Item: { ...Key, a: { b: [1, 2, 3], c: 4 }, name: 5 } })
      const answer = await doc.get({
        TableName,
        Key,
        ProjectionExpression: 'a.b[1], #name, absent',
        ExpressionAttributeNames: { '#name': 'name' },
      })
      expect(answer.Item).toEqual({ a: { b: [2] }, name: 5 })
    })

    test('return the old or the new item on request', async () => {
      const { doc } = subject()
      const Key = { pk: 'returns', sk: '1' }
      const put = (a: number) =>
        doc.put({ TableName, Item: { ...Key, a }, ReturnValues: 'ALL_OLD' })
      expect((await put(1)).Attributes).toBeUndefined()
      expect((await put(2)).Attributes).toEqual({ ...Key, a: 1 })
      const update = async (
        ReturnValues: 'UPDATED_OLD' | 'UPDATED_NEW' | 'ALL_OLD' | 'ALL_NEW',
      ) => {
        const answer = await doc.update({
          TableName,
          Key,
          UpdateExpression: 'ADD a :one',
          ExpressionAttributeValues: { ':one': 1 },
          ReturnValues,
        })
        return answer.Attributes
      }
      expect(await update('UPDATED_OLD')).toEqual({ a: 2 })
      expect(await update('UPDATED_NEW')).toEqual({ a: 4 })
      expect(await update('ALL_OLD')).toEqual({ ...Key, a: 4 })
      expect(await update('ALL_NEW')).toEqual({ ...Key, a: 6 })
      const deleted = await doc.delete({ TableName, Key, ReturnValues: 'ALL_OLD' })
      expect(deleted.Attributes).toEqual({ ...Key, a: 6 })
    })

    test('return the consumed capacity', async () => {
      const { doc } = subject()
      const Key = { pk: 'capacity', sk: '1' }
      const put = await doc.put({
        TableName,
        Item: { ...Key, text: 'x'.repeat(5000) },
        ReturnConsumedCapacity: 'TOTAL',
      })
      expect(put.ConsumedCapacity).toMatchObject({ TableName, CapacityUnits: 5 })
      const read = async (ConsistentRead: boolean) => {
        const options = { TableName, Key, ConsistentRead, ReturnConsumedCapacity: 'TOTAL' } as const
        return (await doc.get(options)).ConsumedCapacity?.CapacityUnits
      }
      expect(await read(true)).toBe(2)
      expect(await read(false)).toBe(1)
    })

    test('of an unknown table return an error', async () => {
      const { doc } = subject()
      const Key = { pk: 'a', sk: 'b' }
      const gone = { TableName: 'no-such-table' }
      const calls: (() => Promise<unknown>)[] = [
        () => doc.get({ ...gone, Key }),
        () => doc.put({ ...gone, Item: Key }),
        () => doc.scan(gone),
        () => doc.batchGet({ RequestItems: { 'no-such-table': { Keys: [Key] } } }),
        () => doc.transactWrite({ TransactItems: [{ Delete: { ...gone, Key } }] }),
      ]
      for (const call of calls) {
        expect(await refusalName(call())).toBe('ResourceNotFoundException')
      }
    })
  })
}
