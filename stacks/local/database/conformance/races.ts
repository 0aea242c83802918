import { beforeAll, describe, expect, test } from 'vitest'
import type { SubjectOf } from './subject.ts'

const RIVALS = 50

/** Runs `attempt` for all rivals at the same time. Returns the error names of those that lost. */
async function race(attempt: (rival: number) => Promise<unknown>) {
  const outcomes = await Promise.allSettled(Array.from({ length: RIVALS }, (_, i) => attempt(i)))
  const errors = outcomes.flatMap((it) => (it.status === 'rejected' ? [it.reason as Error] : []))
  return { winners: RIVALS - errors.length, errors: new Set(errors.map(({ name }) => name)) }
}

export function races(subject: SubjectOf): void {
  describe('races', () => {
    let TableName: string
    beforeAll(async () => {
      TableName = await subject().createTable()
    })

    test('for a name have one winner', async () => {
      const { winners, errors } = await race((rival) =>
        subject().doc.put({
          TableName,
          Item: { pk: 'name', sk: '1', rival },
          ConditionExpression: 'attribute_not_exists(pk)',
        }),
      )
      expect(winners).toBe(1)
      expect(errors).toEqual(new Set(['ConditionalCheckFailedException']))
    })

    test('of transactions for a name have one winner, and leave only its rows', async () => {
      const { winners, errors } = await race((rival) =>
        subject().doc.transactWrite({
          TransactItems: [
            { Put: { TableName, Item: { pk: 'rows', sk: String(rival) } } },
            {
              Put: {
                TableName,
                Item: { pk: 'claim', sk: '1', rival },
                ConditionExpression: 'attribute_not_exists(pk)',
              },
            },
          ],
        }),
      )
      expect(winners).toBe(1)
      expect(errors).toEqual(new Set(['TransactionCanceledException']))
      const { Item } = await subject().doc.get({ TableName, Key: { pk: 'claim', sk: '1' } })
      const { Items } = await subject().doc.query({
        TableName,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': 'rows' },
      })
      expect(Items).toEqual([{ pk: 'rows', sk: String(Item?.rival) }])
    })

    test('of 200 increments keep all', async () => {
      const Key = { pk: 'counter', sk: '1' }
      const increment = () =>
        subject().doc.update({
          TableName,
          Key,
          UpdateExpression: 'ADD n :one',
          ExpressionAttributeValues: { ':one': 1 },
          ReturnValues: 'UPDATED_NEW',
        })
      const answers = await Promise.all(Array.from({ length: 200 }, increment))
      expect(new Set(answers.map((it) => it.Attributes?.n as number)).size).toBe(200)
      expect((await subject().doc.get({ TableName, Key })).Item?.n).toBe(200)
    })
  })
}
