import type { QueryCommandInput, ScanCommandInput } from '@aws-sdk/lib-dynamodb'
import { beforeAll, describe, expect, test } from 'vitest'
import { refusalName } from './subject.ts'
import type { SubjectOf } from './subject.ts'

type Row = Record<string, unknown>

/** Two partitions; numbers in the index from negative to large; every third item is flagged. */
const rows = Array.from({ length: 20 }, (_, i) => ({
  pk: i < 14 ? 'many' : 'few',
  sk: `item#${String(i).padStart(2, '0')}`,
  owner: i % 2 === 0 ? 'even' : 'odd',
  at: (i - 10) ** 3,
  ...(i % 3 === 0 && { flag: 'yes', kept: i, dropped: i }),
}))

export function queries(subject: SubjectOf): void {
  describe('queries and scans', () => {
    let TableName: string
    beforeAll(async () => {
      TableName = await subject().createTable()
      const RequestItems = { [TableName]: rows.map((Item) => ({ PutRequest: { Item } })) }
      await subject().doc.batchWrite({ RequestItems })
    })

    const many = (condition = '', values: Row = {}): Omit<QueryCommandInput, 'TableName'> => ({
      KeyConditionExpression: `pk = :pk${condition}`,
      ExpressionAttributeValues: { ':pk': 'many', ...values },
    })
    const query = async (input: Omit<QueryCommandInput, 'TableName'>) =>
      await subject().doc.query({ TableName, ...input })
    const keys = async (input: Omit<QueryCommandInput, 'TableName'>) =>
      (await query(input)).Items?.map((it) => Number(String(it.sk).slice(5)))
    const range = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, i) => from + i)

    test.each<[string, Row, number[]]>([
      ['', {}, range(0, 13)],
      [' AND sk = :a', { ':a': 'item#03' }, [3]],
      [' AND sk < :a', { ':a': 'item#03' }, [0, 1, 2]],
      [' AND sk <= :a', { ':a': 'item#03' }, [0, 1, 2, 3]],
      [' AND sk > :a', { ':a': 'item#11' }, [12, 13]],
      [' AND sk >= :a', { ':a': 'item#11' }, [11, 12, 13]],
      [' AND sk BETWEEN :a AND :b', { ':a': 'item#04', ':b': 'item#06' }, [4, 5, 6]],
      [' AND begins_with(sk, :a)', { ':a': 'item#1' }, [10, 11, 12, 13]],
      [' AND begins_with(sk, :a)', { ':a': 'other' }, []],
    ])('select a range of a partition%s', async (condition, values, expected) => {
      expect(await keys(many(condition, values))).toEqual(expected)
      const descending = { ...many(condition, values), ScanIndexForward: false }
      expect(await keys(descending)).toEqual(expected.toReversed())
    })

    const all = async (input: Omit<QueryCommandInput, 'TableName'>) => {
      const found: Row[] = []
      let pages = 0
      let ExclusiveStartKey: Row | undefined
      do {
        const page = await query({ ...input, ExclusiveStartKey })
        found.push(...(page.Items ?? []))
        ExclusiveStartKey = page.LastEvaluatedKey
        pages++
      } while (ExclusiveStartKey)
      return { found, pages }
    }

    test.each([true, false])('page through a partition (forward %s)', async (ScanIndexForward) => {
      const { found, pages } = await all({ ...many(), Limit: 4, ScanIndexForward })
      const expected = rows.filter((row) => row.pk === 'many')
      expect(found).toEqual(ScanIndexForward ? expected : expected.toReversed())
      expect(pages).toBe(4)
    })

    test.each([true, false])('page through an index by number (forward %s)', async (forward) => {
      const { found } = await all({
        IndexName: 'byOwner',
        KeyConditionExpression: '#owner = :owner AND #at > :at',
        ExpressionAttributeNames: { '#owner': 'owner', '#at': 'at' },
        ExpressionAttributeValues: { ':owner': 'odd', ':at': -500 },
        Limit: 3,
        ScanIndexForward: forward,
      })
      const numbers = [-343, -125, -27, -1, 1, 27, 125, 343, 729]
      expect(found.map((it) => it.at)).toEqual(forward ? numbers : numbers.toReversed())
    })

    test('page through index entries of one key, even after a deleted one', async () => {
      const { doc, createTable } = subject()
      const own = await createTable()
      for (const sk of ['a', 'b', 'c', 'd']) {
        await doc.put({ TableName: own, Item: { pk: 'p', sk, owner: 'o', at: 1 } })
      }
      const page = (ExclusiveStartKey?: Row) =>
        doc.query({
          TableName: own,
          IndexName: 'byOwner',
          KeyConditionExpression: '#owner = :o',
          ExpressionAttributeNames: { '#owner': 'owner' },
          ExpressionAttributeValues: { ':o': 'o' },
          Limit: 2,
          ExclusiveStartKey,
        })
      const first = await page()
      expect(Object.keys(first.LastEvaluatedKey ?? {}).toSorted()).toEqual([
        'at',
        'owner',
        'pk',
        'sk',
      ])
      const last = first.Items?.at(-1)
      await doc.delete({ TableName: own, Key: { pk: 'p', sk: last?.sk } })
      const second = await page(first.LastEvaluatedKey)
      const seen = [...(first.Items ?? []), ...(second.Items ?? [])].map((it) => it.sk)
      expect(seen.toSorted()).toEqual(['a', 'b', 'c', 'd'])
    })

    test('return from a sparse index only items with its key, and only projected attributes', async () => {
      const flagged = (await query(byFlag)).Items ?? []
      expect(flagged.map((it) => it.kept as number).toSorted((a, b) => a - b)).toEqual([
        0, 3, 6, 9, 12, 15, 18,
      ])
      const attributes = new Set(flagged.flatMap(Object.keys))
      expect(attributes).toEqual(new Set(['pk', 'sk', 'flag', 'kept']))
    })

    test('follow an item into, within and out of an index', async () => {
      const { doc, createTable } = subject()
      const own = await createTable()
      const Key = { pk: 'p', sk: 's' }
      const entries = async () => {
        const { Items } = await doc.scan({ TableName: own, IndexName: 'byOwner' })
        return Items?.map((it) => [it.owner, it.at])
      }
      await doc.put({ TableName: own, Item: { ...Key, owner: 'o' } })
      expect(await entries()).toEqual([])
      await doc.put({ TableName: own, Item: { ...Key, owner: 'o', at: 1 } })
      expect(await entries()).toEqual([['o', 1]])
      await doc.put({ TableName: own, Item: { ...Key, owner: 'o', at: 2 } })
      expect(await entries()).toEqual([['o', 2]])
      await doc.update({ TableName: own, Key, UpdateExpression: 'REMOVE #at', ...at })
      expect(await entries()).toEqual([])
    })

    test('filter and project after counting', async () => {
      const answer = await query({
        ...many('', { ':o': 'even' }),
        FilterExpression: '#owner = :o',
        ExpressionAttributeNames: { '#owner': 'owner' },
        ProjectionExpression: 'sk',
        Limit: 5,
      })
      expect(answer.Items).toEqual(['item#00', 'item#02', 'item#04'].map((sk) => ({ sk })))
      expect(answer).toMatchObject({ Count: 3, ScannedCount: 5 })
      expect(answer.LastEvaluatedKey).toEqual({ pk: 'many', sk: 'item#04' })
    })

    test('only count on request', async () => {
      const answer = await query({ ...many(), Select: 'COUNT' })
      expect(answer).toMatchObject({ Count: 14, ScannedCount: 14 })
      expect(answer.Items).toBeUndefined()
    })

    test('scan in pages and in parallel parts, each item once', async () => {
      const { doc } = subject()
      const scan = async (input: Omit<ScanCommandInput, 'TableName'>) => {
        const found: unknown[] = []
        let ExclusiveStartKey: Row | undefined
        do {
          const page = await doc.scan({ TableName, ...input, ExclusiveStartKey, Limit: 3 })
          found.push(...(page.Items ?? []).map((it) => it.sk as unknown))
          ExclusiveStartKey = page.LastEvaluatedKey
        } while (ExclusiveStartKey)
        return found
      }
      const expected = rows.map(({ sk }) => sk)
      expect((await scan({})).toSorted()).toEqual(expected)
      expect((await scan({ IndexName: 'byOwner' })).toSorted()).toEqual(expected)
      const parts = [0, 1, 2].map((Segment) => scan({ Segment, TotalSegments: 3 }))
      expect((await Promise.all(parts)).flat().toSorted()).toEqual(expected)
    })

    test.each<[string, Omit<QueryCommandInput, 'TableName'>]>([
      ['an unknown index', { ...many(), IndexName: 'nothing' }],
      ['a consistent read of an index', { ...byFlag, ConsistentRead: true }],
      ['all attributes of a partial index', { ...byFlag, Select: 'ALL_ATTRIBUTES' }],
      ['no partition', { KeyConditionExpression: 'sk = :a', ExpressionAttributeValues: a }],
      [
        'a range of partitions',
        { KeyConditionExpression: 'pk > :a', ExpressionAttributeValues: a },
      ],
      ['a condition on another attribute', many(' AND kept = :a', { ':a': 1 })],
      ['a key of another type', many(' AND sk = :a', { ':a': 1 })],
      ['a filter on the key', { ...many(), FilterExpression: 'sk = :pk' }],
      ['a start without the whole key', { ...many(), ExclusiveStartKey: { pk: 'many' } }],
      ['a start elsewhere', { ...many(), ExclusiveStartKey: { pk: 'few', sk: 'x' } }],
      ['a start after an empty key', { ...many(), ExclusiveStartKey: { pk: 'many', sk: '' } }],
      ['a start after a long key', { ...many(), ExclusiveStartKey: { pk: 'many', sk: long } }],
      ['an empty partition key', many('', { ':pk': '' })],
      ['a long partition key', many('', { ':pk': long + long })],
      ['an empty beginning of a key', many(' AND begins_with(sk, :a)', { ':a': '' })],
      ['a long sort key', many(' AND sk = :a', { ':a': long })],
      ['a limit of nothing', { ...many(), Limit: 0 }],
    ])('reject %s', async (_, input) => {
      expect(await refusalName(query(input))).toBe('ValidationException')
    })
  })
}

const a = { ':a': 'a' }

/** One byte longer than a sort key can be. */
const long = 'a'.repeat(1025)

const at = { ExpressionAttributeNames: { '#at': 'at' } }

const byFlag = {
  IndexName: 'flagged',
  KeyConditionExpression: 'flag = :yes',
  ExpressionAttributeValues: { ':yes': 'yes' },
}
