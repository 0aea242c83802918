import { beforeAll, describe, expect, test } from 'vitest'
import { refusal, refusalName } from './subject.ts'
import type { SubjectOf } from './subject.ts'

const holding = [
  'attribute_exists(word)',
  'attribute_not_exists(nowhere)',
  'attribute_not_exists(#map.#constructor)',
  'attribute_type(word, :typeS)',
  'attribute_type(#list, :typeL)',
  'word = :word',
  'word <> :other',
  'nowhere <> :word',
  '#list = :sameList',
  '#map = :sameMap',
  'tags = :sameTags',
  'num < :ten',
  'num <= :nine',
  'num > :minus',
  'num BETWEEN :minus AND :ten',
  'num IN (:ten, :nine)',
  'begins_with(word, :prefix)',
  'begins_with(octets, :bytePrefix)',
  'contains(word, :middle)',
  'contains(tags, :tag)',
  'contains(#list, :ten)',
  'contains(octets, :byteMiddle)',
  'size(word) = :five',
  'size(#list) = :three',
  'size(tags) >= :two',
  'size(#map) = :one',
  'size(octets) = :three',
  '#list[1] = :ten',
  '#map.nested.deep = :nine',
  'NOT word = :other AND (num = :ten OR num = :nine)',
  'num < top',
]

const failing = [
  'attribute_exists(nowhere)',
  'word = nowhere',
  'num = :nineWord',
  'num < :word',
  'num BETWEEN :ten AND :hundred',
  '#list = :otherList',
  'tags = :fewerTags',
  'contains(tags, :other)',
  'contains(word, :ten)',
  'begins_with(nowhere, :prefix)',
  'size(num) = :one',
  'size(nowhere) < :ten',
  '#list[7] = :ten',
  'word.nested = :nine',
  'NOT (num = :nine OR num = :ten)',
]

const names: Record<string, string> = {
  '#list': 'list',
  '#map': 'map',
  '#constructor': 'constructor',
}

const values: Record<string, unknown> = {
  ':word': 'grüße',
  ':other': 'other',
  ':prefix': 'gr',
  ':middle': 'üß',
  ':five': 5,
  ':nineWord': '9',
  ':typeS': 'S',
  ':typeL': 'L',
  ':minus': -10,
  ':nine': 9,
  ':ten': 10,
  ':hundred': 100,
  ':one': 1,
  ':two': 2,
  ':three': 3,
  ':tag': 'a',
  ':sameTags': new Set(['b', 'a']),
  ':fewerTags': new Set(['a']),
  ':sameList': [1, 10, { x: 1 }],
  ':otherList': [10, 1, { x: 1 }],
  ':sameMap': { nested: { deep: 9 } },
  ':bytePrefix': Uint8Array.from([255]),
  ':byteMiddle': Uint8Array.from([0]),
}

const item = {
  pk: 'condition',
  sk: '1',
  word: 'grüße',
  num: 9,
  top: 10,
  tags: new Set(['a', 'b']),
  list: [1, 10, { x: 1 }],
  map: { nested: { deep: 9 } },
  octets: Uint8Array.from([255, 0, 1]),
}

function used<Value>(all: Record<string, Value>, expression: string) {
  const found = Object.entries(all).filter(([name]) =>
    new RegExp(`${name}(?![A-Za-z])`).test(expression),
  )
  return found.length > 0 ? Object.fromEntries(found) : undefined
}

export function conditions(subject: SubjectOf): void {
  describe('conditions', () => {
    let TableName: string
    const Key = { pk: item.pk, sk: item.sk }
    beforeAll(async () => {
      TableName = await subject().createTable()
      await subject().doc.put({ TableName, Item: item })
    })

    const check = (ConditionExpression: string) =>
      subject().doc.transactWrite({
        TransactItems: [
          {
            ConditionCheck: {
              TableName,
              Key,
              ConditionExpression,
              ExpressionAttributeNames: used(names, ConditionExpression),
              ExpressionAttributeValues: used(values, ConditionExpression),
            },
          },
        ],
      })

    test.each(holding)('%s holds', async (expression) => {
      await expect(check(expression)).resolves.toBeDefined()
    })

    test.each(failing)('%s does not hold', async (expression) => {
      const { CancellationReasons } = await refusal(check(expression))
      expect(CancellationReasons?.[0]?.Code).toBe('ConditionalCheckFailed')
    })

    test.each([
      'word =',
      'word = :undefined',
      '#undefined = :one',
      'nosuch(word)',
      'size(word)',
      'name = :word',
      '((word = :word))',
      'num BETWEEN :ten AND :nine',
      'attribute_type(word, :word)',
    ])('%s is rejected as invalid', async (expression) => {
      expect(await refusalName(check(expression))).toBe('ValidationException')
    })

    test('guard put, update and delete, and return the item on request', async () => {
      const { doc } = subject()
      const Current = { pk: 'guarded', sk: '1', version: 1 }
      const onTheWire = { pk: { S: 'guarded' }, sk: { S: '1' }, version: { N: '1' } }
      const guarded = { pk: 'guarded', sk: '1' }
      await doc.put({ TableName, Item: Current })
      const condition = {
        TableName,
        ConditionExpression: 'version = :v',
        ExpressionAttributeValues: { ':v': 2 },
      }
      const calls = (extra: { ReturnValuesOnConditionCheckFailure?: 'ALL_OLD' }) => [
        () => doc.put({ ...condition, ...extra, Item: { ...guarded, version: 3 } }),
        () => doc.update({ ...condition, ...extra, Key: guarded, UpdateExpression: 'SET a = :v' }),
        () => doc.delete({ ...condition, ...extra, Key: guarded }),
      ]
      for (const call of calls({})) {
        const { name, message, Item } = await refusal(call())
        expect(name).toBe('ConditionalCheckFailedException')
        expect(message).toBe('The conditional request failed')
        expect(Item).toBeUndefined()
      }
      for (const call of calls({ ReturnValuesOnConditionCheckFailure: 'ALL_OLD' })) {
        expect((await refusal(call())).Item).toEqual(onTheWire)
      }
      expect((await doc.get({ TableName, Key: guarded })).Item).toEqual(Current)
    })

    test('on a missing item return no item', async () => {
      const { doc } = subject()
      const error = await refusal(
        doc.delete({
          TableName,
          Key: { pk: 'absent', sk: '1' },
          ConditionExpression: 'attribute_exists(pk)',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      )
      expect(error.name).toBe('ConditionalCheckFailedException')
      expect(error.Item).toBeUndefined()
    })

    test('must not define unused placeholders', async () => {
      const { doc } = subject()
      const put = doc.put({
        TableName,
        Item: Key,
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':unused': 1 },
      })
      expect(await refusalName(put)).toBe('ValidationException')
    })

    test('have at most 4 KB', async () => {
      const put = (ConditionExpression: string) =>
        subject().doc.put({ TableName, Item: Key, ConditionExpression })
      const condition = (length: number) => `attribute_not_exists(${'a'.repeat(length - 22)})`
      await put(condition(4096))
      expect(await refusalName(put(condition(4097)))).toBe('ValidationException')
    })
  })
}
