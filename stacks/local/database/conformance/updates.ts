import { PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { beforeAll, describe, expect, test } from 'vitest'
import { refusal, refusalName } from './subject.ts'
import type { SubjectOf } from './subject.ts'

type Values = Record<string, unknown>

const before = {
  n: 5,
  big: 1,
  list: ['a', 'b', 'c'],
  map: { x: 1, y: { z: 2 } },
  tags: new Set(['a', 'b']),
  text: 'text',
}

const changes: [string, Values | undefined, Values][] = [
  ['SET n = :v', { ':v': 'new' }, { ...before, n: 'new' }],
  ['SET n = n + :v', { ':v': 2 }, { ...before, n: 7 }],
  ['SET n = n - :v', { ':v': 7.5 }, { ...before, n: -2.5 }],
  ['SET n = :v - n', { ':v': 7 }, { ...before, n: 2 }],
  ['SET n = if_not_exists(n, :v)', { ':v': 1 }, before],
  ['SET c = if_not_exists(c, :v) + :v', { ':v': 1 }, { ...before, c: 2 }],
  ['SET previous = n ADD n :v', { ':v': 1 }, { ...before, n: 6, previous: 5 }],
  ['SET n = big, big = n', undefined, { ...before, n: 1, big: 5 }],
  ['SET twin = n REMOVE n', undefined, { ...omit('n'), twin: 5 }],
  ['SET #list = list_append(#list, :v)', { ':v': ['d'] }, withList('a', 'b', 'c', 'd')],
  ['SET #list = list_append(:v, #list)', { ':v': ['d'] }, withList('d', 'a', 'b', 'c')],
  ['SET #list[1] = :v', { ':v': 'B' }, withList('a', 'B', 'c')],
  ['SET #list[9] = :v', { ':v': 'z' }, withList('a', 'b', 'c', 'z')],
  ['REMOVE #list[0], #list[1]', undefined, withList('c')],
  ['SET #list[2] = :v REMOVE #list[0]', { ':v': 'C' }, withList('b', 'C')],
  ['REMOVE #list[7], absent', undefined, before],
  ['SET #map.x = :v, #map.w = :v', { ':v': 3 }, { ...before, map: { x: 3, w: 3, y: { z: 2 } } }],
  ['REMOVE #map.y.z', undefined, { ...before, map: { x: 1, y: {} } }],
  ['ADD n :v', { ':v': -5 }, { ...before, n: 0 }],
  ['ADD c :v', { ':v': 3 }, { ...before, c: 3 }],
  ['ADD #map.x :v', { ':v': 1 }, { ...before, map: { x: 2, y: { z: 2 } } }],
  ['ADD tags :v', { ':v': new Set(['b', 'c']) }, { ...before, tags: new Set(['a', 'b', 'c']) }],
  ['DELETE tags :v', { ':v': new Set(['b', 'x']) }, { ...before, tags: new Set(['a']) }],
  ['DELETE tags :v', { ':v': new Set(['a', 'b']) }, omit('tags')],
  ['DELETE absent :v', { ':v': new Set(['a']) }, before],
]

const invalid: [string, Values | undefined][] = [
  ['SET n = absent', undefined],
  ['SET n = text + :v', { ':v': 1 }],
  ['SET n = list_append(text, :v)', { ':v': [1] }],
  ['SET absent.x = :v', { ':v': 1 }],
  ['REMOVE absent.x', undefined],
  ['ADD text :v', { ':v': 1 }],
  ['ADD n :v', { ':v': new Set(['a']) }],
  ['ADD n :v', { ':v': 'text' }],
  ['DELETE n :v', { ':v': new Set(['a']) }],
  ['SET n = :v, n = :v', { ':v': 1 }],
  ['SET #map = :v, #map.x = :v', { ':v': 1 }],
  ['SET n = :v SET big = :v', { ':v': 1 }],
  ['SET pk = :v', { ':v': 'other' }],
  ['SET owner = :v', { ':v': 1 }],
  ['SET owner = :v', { ':v': '' }],
  ['SET', undefined],
]

function omit(name: string): Values {
  return Object.fromEntries(Object.entries(before).filter(([key]) => key !== name))
}

function withList(...list: string[]): Values {
  return { ...before, list }
}

export function updates(subject: SubjectOf): void {
  describe('updates', () => {
    let TableName: string
    let count = 0
    beforeAll(async () => {
      TableName = await subject().createTable()
    })

    const update = async (UpdateExpression: string, values: Values | undefined) => {
      const Key = { pk: 'update', sk: String(++count) }
      await subject().doc.put({ TableName, Item: { ...Key, ...before } })
      const names = Object.entries({ '#list': 'list', '#map': 'map' }).filter(([name]) =>
        UpdateExpression.includes(name),
      )
      const answer = await subject().doc.update({
        TableName,
        Key,
        UpdateExpression,
        ExpressionAttributeNames: names.length > 0 ? Object.fromEntries(names) : undefined,
        ExpressionAttributeValues: values,
        ReturnValues: 'ALL_NEW',
      })
      const { pk: _, sk: __, ...rest } = answer.Attributes ?? {}
      expect((await subject().doc.get({ TableName, Key })).Item).toEqual(answer.Attributes)
      return rest
    }

    test.each(changes)('%s', async (expression, values, after) => {
      expect(await update(expression, values)).toEqual(after)
    })

    test.each(invalid)('%s is rejected', async (expression, values) => {
      expect(await refusalName(update(expression, values))).toBe('ValidationException')
    })

    test('create a missing item, even without an expression', async () => {
      const { doc } = subject()
      const Key = { pk: 'created', sk: '1' }
      await doc.update({ TableName, Key })
      expect((await doc.get({ TableName, Key })).Item).toEqual(Key)
    })

    test('compute with all 38 digits', async () => {
      const { doc } = subject()
      const Key = { pk: 'digits', sk: '1' }
      const add = async (value: bigint) => {
        const answer = await doc.update({
          TableName,
          Key,
          UpdateExpression: 'ADD n :v',
          ConditionExpression: 'attribute_not_exists(n) OR n < :limit',
          ExpressionAttributeValues: { ':v': value, ':limit': 10n ** 37n + 2n },
          ReturnValues: 'UPDATED_NEW',
        })
        return answer.Attributes?.n as unknown
      }
      expect(await add(10n ** 37n)).toBe(10n ** 37n)
      expect(await add(1n)).toBe(10n ** 37n + 1n)
      expect(await add(1n)).toBe(10n ** 37n + 2n)
      expect((await refusal(add(1n))).name).toBe('ConditionalCheckFailedException')
    })

    test.each([
      ['9'.repeat(38), '1', `1${'0'.repeat(38)}`],
      ['-0.5', '0.75', '0.25'],
      ['9'.repeat(38), '0.1', undefined],
      [`9${'0'.repeat(125)}`, `9${'0'.repeat(125)}`, undefined],
    ])('add %s and %s within the range of numbers', async (left, right, sum) => {
      const { client } = subject()
      const Key = { pk: { S: 'range' }, sk: { S: '1' } }
      const Item = { ...Key, n: { N: left } }
      await client.send(new PutItemCommand({ TableName, Item }))
      const update = client.send(
        new UpdateItemCommand({
          TableName,
          Key,
          UpdateExpression: 'ADD n :v',
          ExpressionAttributeValues: { ':v': { N: right } },
          ReturnValues: 'ALL_NEW',
        }),
      )
      if (sum === undefined) expect(await refusalName(update)).toBe('ValidationException')
      else expect((await update).Attributes?.n?.N).toBe(sum)
    })

    test('return no attributes if none changed', async () => {
      const { doc } = subject()
      const Key = { pk: 'untouched', sk: '1' }
      await doc.put({ TableName, Item: { ...Key, a: 1 } })
      const answer = await doc.update({
        TableName,
        Key,
        UpdateExpression: 'REMOVE a',
        ReturnValues: 'UPDATED_NEW',
      })
      expect(answer.Attributes).toBeUndefined()
    })
  })
}
