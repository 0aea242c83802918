import { PutItemCommand } from '@aws-sdk/client-dynamodb'
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { beforeAll, describe, expect, test } from 'vitest'
import { refusalName } from './subject.ts'
import type { SubjectOf } from './subject.ts'

const KB = 1024

export function batches(subject: SubjectOf): void {
  describe('batches and limits', () => {
    let TableName: string
    beforeAll(async () => {
      TableName = await subject().createTable()
    })

    const write = (pk: string, count: number) => {
      const puts = Array.from({ length: count }, (_, i) => ({
        PutRequest: { Item: { pk, sk: String(i) } },
      }))
      return subject().doc.batchWrite({ RequestItems: { [TableName]: puts } })
    }
    const read = (pk: string, count: number) => {
      const Keys = Array.from({ length: count }, (_, i) => ({ pk, sk: String(i) }))
      return subject().doc.batchGet({ RequestItems: { [TableName]: { Keys } } })
    }

    test('write up to 25 items and read up to 100', async () => {
      const { UnprocessedItems } = await write('batch', 25)
      expect(UnprocessedItems).toEqual({})
      const { Responses, UnprocessedKeys } = await read('batch', 100)
      expect(Responses?.[TableName]).toHaveLength(25)
      expect(UnprocessedKeys).toEqual({})
      expect(await refusalName(write('batch', 26))).toBe('ValidationException')
      expect(await refusalName(read('batch', 101))).toBe('ValidationException')
    })

    test('count the items of all tables', async () => {
      const { doc, createTable } = subject()
      const other = await createTable()
      const puts = (from: number, count: number) =>
        Array.from({ length: count }, (_, i) => ({
          PutRequest: { Item: { pk: 'two-tables', sk: String(from + i) } },
        }))
      const RequestItems = { [TableName]: puts(0, 20), [other]: puts(20, 6) }
      expect(await refusalName(doc.batchWrite({ RequestItems }))).toBe('ValidationException')
    })

    test('put and delete together, but no item twice', async () => {
      const { doc } = subject()
      await write('mixed', 2)
      const Key = { pk: 'mixed', sk: '0' }
      const DeleteRequest = { Key }
      const PutRequest = { Item: { pk: 'mixed', sk: '9' } }
      await doc.batchWrite({ RequestItems: { [TableName]: [{ DeleteRequest }, { PutRequest }] } })
      const { Responses } = await read('mixed', 10)
      expect(Responses?.[TableName]?.map((it) => it.sk as string).toSorted()).toEqual(['1', '9'])
      const twice = { [TableName]: [{ DeleteRequest }, { PutRequest: { Item: Key } }] }
      expect(await refusalName(doc.batchWrite({ RequestItems: twice }))).toBe('ValidationException')
      const Keys = [Key, Key]
      const repeated = doc.batchGet({ RequestItems: { [TableName]: { Keys } } })
      expect(await refusalName(repeated)).toBe('ValidationException')
    })

    test('hold items of up to 400 KB, counted with names in UTF-8 bytes', async () => {
      const { doc } = subject()
      const Key = { pk: 'large', sk: '1' }
      const overhead = 'pklargesk1text'.length
      const put = (bytes: number, letter: string) =>
        doc.put({ TableName, Item: { ...Key, text: letter.repeat(bytes / letter.length) } })
      await put(400 * KB - overhead, 'x')
      expect(await refusalName(put(400 * KB - overhead + 1, 'x'))).toBe('ValidationException')
      const wide = doc.put({ TableName, Item: { ...Key, text: 'ü'.repeat(201 * KB) } })
      expect(await refusalName(wide)).toBe('ValidationException')
      const grow = doc.update({
        TableName,
        Key,
        UpdateExpression: 'SET more = :v',
        ExpressionAttributeValues: { ':v': 'xx' },
      })
      expect(await refusalName(grow)).toBe('ValidationException')
    })

    test('hold values of up to 32 levels', async () => {
      const { client } = subject()
      const put = (lists: number, maps: number) => {
        let value: AttributeValue = { S: 'x' }
        for (let i = 0; i < lists; i++) value = { L: [value] }
        for (let i = 0; i < maps; i++) value = { M: { a: value } }
        const Item = { pk: { S: 'deep' }, sk: { S: '1' }, value }
        return client.send(new PutItemCommand({ TableName, Item }))
      }
      await put(15, 16)
      expect(await refusalName(put(16, 16))).toBe('ValidationException')
    })

    test('end a page at 1 MB', async () => {
      const { doc } = subject()
      for (let i = 0; i < 7; i++) {
        await doc.put({ TableName, Item: { pk: 'page', sk: String(i), text: 'x'.repeat(300_000) } })
      }
      const query = (start: Record<string, unknown> | undefined) =>
        doc.query({
          TableName,
          KeyConditionExpression: 'pk = :pk',
          ExpressionAttributeValues: { ':pk': 'page' },
          ExclusiveStartKey: start,
        })
      const first = await query(undefined)
      expect(first.Items?.map((it) => it.sk as string)).toEqual(['0', '1', '2', '3'])
      expect(first.LastEvaluatedKey).toEqual({ pk: 'page', sk: '3' })
      const second = await query(first.LastEvaluatedKey)
      expect(second.Items?.map((it) => it.sk as string)).toEqual(['4', '5', '6'])
      expect(second.LastEvaluatedKey).toBeUndefined()
    })

    test('leave keys unprocessed when a batch read passes 16 MB', async () => {
      const { doc } = subject()
      for (let i = 0; i < 45; i++) {
        const Item = { pk: 'heavy', sk: String(i), text: 'x'.repeat(399 * KB) }
        await doc.put({ TableName, Item })
      }
      const answer = await read('heavy', 45)
      const got = answer.Responses?.[TableName]?.length ?? 0
      const left = answer.UnprocessedKeys?.[TableName]?.Keys?.length ?? 0
      expect(got + left).toBe(45)
      expect(left).toBeGreaterThan(0)
      const rest = await doc.batchGet({ RequestItems: answer.UnprocessedKeys })
      expect(rest.Responses?.[TableName]).toHaveLength(left)
    })

    test('hold keys of up to 2048 and 1024 bytes', async () => {
      const { doc } = subject()
      const put = (hash: number, range: number) =>
        doc.put({ TableName, Item: { pk: 'h'.repeat(hash), sk: 'r'.repeat(range) } })
      await put(2048, 1024)
      expect(await refusalName(put(2049, 1))).toBe('ValidationException')
      expect(await refusalName(put(1, 1025))).toBe('ValidationException')
      const wide = [
        { pk: 'ü'.repeat(1025), sk: '1' },
        { pk: 'a', sk: 'ü'.repeat(513) },
        { pk: 'a', sk: '1', owner: 'ü'.repeat(1025), at: 1 },
      ]
      for (const Item of wide) {
        expect(await refusalName(doc.put({ TableName, Item }))).toBe('ValidationException')
      }
    })
  })
}
