import { randomUUID } from 'node:crypto'
import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import { beforeAll, describe, expect, test } from 'vitest'
import { refusal, refusalName } from './subject.ts'
import type { SubjectOf } from './subject.ts'

type Action = NonNullable<TransactWriteCommandInput['TransactItems']>[number]

export function transactions(subject: SubjectOf): void {
  describe('transactions', () => {
    let TableName: string
    beforeAll(async () => {
      TableName = await subject().createTable()
    })

    const key = (sk: string | number, pk = 'transact') => ({ pk, sk: String(sk) })
    const put = (sk: string | number, extra: object = {}): Action => ({
      Put: { TableName, Item: { ...key(sk), ...extra } },
    })
    const unless = (sk: string, shown = false): Action => ({
      Put: {
        TableName,
        Item: { ...key(sk), claimed: true },
        ConditionExpression: 'attribute_not_exists(pk)',
        ...(shown && { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
      },
    })
    const write = (TransactItems: Action[], ClientRequestToken?: string) =>
      subject().doc.transactWrite({ TransactItems, ClientRequestToken })
    const read = async (sk: string | number) =>
      (await subject().doc.get({ TableName, Key: key(sk) })).Item

    test('do every kind of write at once', async () => {
      await write([put('kept'), put('updated', { n: 1 }), put('deleted')])
      await write([
        put('new'),
        { Delete: { TableName, Key: key('deleted') } },
        {
          Update: {
            TableName,
            Key: key('updated'),
            UpdateExpression: 'ADD n :one',
            ExpressionAttributeValues: { ':one': 1 },
          },
        },
        {
          ConditionCheck: {
            TableName,
            Key: key('kept'),
            ConditionExpression: 'attribute_exists(pk)',
          },
        },
      ])
      expect(await read('new')).toEqual(key('new'))
      expect(await read('deleted')).toBeUndefined()
      expect(await read('updated')).toEqual({ ...key('updated'), n: 2 })
      expect(await read('kept')).toEqual(key('kept'))
    })

    test('are cancelled whole, with a reason for each action in order', async () => {
      await write([put('taken', { by: 'first' })])
      const error = await refusal(
        write([
          put('before'),
          unless('taken'),
          unless('taken-not'),
          {
            ConditionCheck: {
              TableName,
              Key: key('absent'),
              ConditionExpression: 'attribute_exists(pk)',
              ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
            },
          },
        ]),
      )
      expect(error.name).toBe('TransactionCanceledException')
      expect(error.message).toContain(
        '[None, ConditionalCheckFailed, None, ConditionalCheckFailed]',
      )
      const failed = {
        Code: 'ConditionalCheckFailed',
        Message: expect.stringContaining('The conditional request failed') as string,
      }
      expect(error.CancellationReasons).toEqual([
        { Code: 'None' },
        failed,
        { Code: 'None' },
        failed,
      ])
      expect(await read('before')).toBeUndefined()
      expect(await read('taken-not')).toBeUndefined()
    })

    test('return the item that failed a check on request', async () => {
      await write([put('shown', { n: 7 })])
      const { CancellationReasons } = await refusal(write([unless('shown', true)]))
      expect(CancellationReasons?.[0]?.Item).toEqual({
        pk: { S: 'transact' },
        sk: { S: 'shown' },
        n: { N: '7' },
      })
    })

    test('fail as a whole if an update does not fit the item', async () => {
      await write([put('text', { n: 'text' })])
      const error = await refusal(
        write([
          put('beside'),
          {
            Update: {
              TableName,
              Key: key('text'),
              UpdateExpression: 'ADD n :one',
              ExpressionAttributeValues: { ':one': 1 },
            },
          },
        ]),
      )
      // Amazon's documentation names the first; DynamoDB Local returns the second.
      expect(['TransactionCanceledException', 'ValidationException']).toContain(error.name)
      expect(await read('beside')).toBeUndefined()
    })

    test('take effect once per token, under repeats', async () => {
      const token = randomUUID()
      const increment = (by: number): Action => ({
        Update: {
          TableName,
          Key: key('counted'),
          UpdateExpression: 'ADD n :by',
          ExpressionAttributeValues: { ':by': by },
        },
      })
      await write([increment(1)], token)
      await write([increment(1)], token)
      await Promise.all(Array.from({ length: 5 }, () => write([increment(1)], token)))
      expect((await read('counted'))?.n).toBe(1)
      expect(await refusalName(write([increment(2)], token))).toBe(
        'IdempotentParameterMismatchException',
      )
      await write([increment(2)], randomUUID())
      expect((await read('counted'))?.n).toBe(3)
    })

    test('may reuse a token after a cancelled transaction', async () => {
      const token = randomUUID()
      await write([put('blocked')])
      expect(await refusalName(write([unless('blocked')], token))).toBe(
        'TransactionCanceledException',
      )
      await subject().doc.delete({ TableName, Key: key('blocked') })
      await write([unless('blocked')], token)
      expect(await read('blocked')).toMatchObject({ claimed: true })
    })

    test('accept 100 actions, each on its own item', async () => {
      const actions = Array.from({ length: 101 }, (_, i) => put(`hundred-${i}`))
      await write(actions.slice(1))
      expect(await read('hundred-100')).toBeDefined()
      expect(await refusalName(write(actions))).toBe('ValidationException')
      expect(await refusalName(write([]))).toBe('ValidationException')
      const twice: Action = { Delete: { TableName, Key: key('hundred-1') } }
      const error = await refusal(write([put('hundred-1'), twice]))
      expect(error.name).toBe('ValidationException')
      expect(error.message).toBe(
        'Transaction request cannot include multiple operations on one item',
      )
    })

    test('are rejected if an action is malformed', async () => {
      const malformed: Action[] = [
        { Put: { TableName, Item: { pk: 'no-sk' } } },
        { Update: { TableName, Key: key('x'), UpdateExpression: 'SET' } },
        { ConditionCheck: { TableName, Key: key('x'), ConditionExpression: '' } },
        { Put: { TableName, Item: key('x') }, Delete: { TableName, Key: key('y') } },
      ]
      for (const action of malformed) {
        const name = await refusalName(write([put('well-formed'), action]))
        expect(['ValidationException', 'TransactionCanceledException']).toContain(name)
      }
      expect(await read('well-formed')).toBeUndefined()
    })

    test('read a snapshot of items in the requested order', async () => {
      await write([put('one', { n: 1, m: 1 }), put('two', { n: 2 })])
      const { doc } = subject()
      const { Responses } = await doc.transactGet({
        TransactItems: [
          { Get: { TableName, Key: key('two') } },
          { Get: { TableName, Key: key('missing') } },
          { Get: { TableName, Key: key('one'), ProjectionExpression: 'm' } },
        ],
      })
      expect(Responses?.map((it) => it.Item)).toEqual([
        { ...key('two'), n: 2 },
        undefined,
        { m: 1 },
      ])
      const Get = { TableName, Key: key('one') }
      const twice = doc.transactGet({ TransactItems: [{ Get }, { Get }] })
      expect(await refusalName(twice)).toBe('ValidationException')
    })

    test('keep indexes consistent', async () => {
      const entry = { owner: 'transact-owner', at: 1 }
      await write([put('indexed-1', entry), put('indexed-2', entry)])
      await refusal(write([put('indexed-3', entry), unless('indexed-1')]))
      await write([{ Delete: { TableName, Key: key('indexed-2') } }])
      const { Items } = await subject().doc.query({
        TableName,
        IndexName: 'byOwner',
        KeyConditionExpression: '#owner = :o',
        ExpressionAttributeNames: { '#owner': 'owner' },
        ExpressionAttributeValues: { ':o': 'transact-owner' },
      })
      expect(Items).toEqual([{ ...key('indexed-1'), ...entry }])
    })
  })
}
