import { UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from './conformance/engines.ts'
import { subjectAt } from './conformance/subject.ts'
import type { Subject } from './conformance/subject.ts'
import { startDatabase } from './server.ts'
import type { Database } from './server.ts'

const NOW = 1_800_000_000
const YEAR = 365 * 24 * 60 * 60

describe('time to live', () => {
  let second = NOW
  let database: Database
  let subject: Subject
  let TableName: string
  beforeEach(async () => {
    second = NOW
    database = await startDatabase({
      dir: ':memory:',
      clock: () => second * 1000,
      ttlSweepMs: 5,
    })
    subject = subjectAt(database.endpoint)
    TableName = await subject.createTable()
  })
  afterEach(async () => {
    subject.client.destroy()
    await database.close()
  })

  const enable = () =>
    subject.client.send(
      new UpdateTimeToLiveCommand({
        TableName,
        TimeToLiveSpecification: { AttributeName: 'expires', Enabled: true },
      }),
    )
  const put = (sk: string, expires: unknown) =>
    subject.doc.put({ TableName, Item: { pk: 'p', sk, expires, owner: 'o', at: 1 } })
  const left = async (IndexName?: string) => {
    const { Items } = await subject.doc.scan({ TableName, IndexName })
    return Items?.map((it) => it.sk as string).toSorted()
  }
  const settled = (count: number) =>
    eventually(async () => {
      const items = (await left()) ?? []
      if (items.length > count) throw new Error(`still ${items.length} items`)
      return items
    })

  test('removes expired items and their index entries, and nothing else', async () => {
    await enable()
    await put('due', NOW - 1)
    await put('later', NOW + 60)
    await put('never', undefined)
    await put('text', String(NOW - 1))
    await put('ancient', NOW - 6 * YEAR)
    expect(await settled(4)).toEqual(['ancient', 'later', 'never', 'text'])
    expect(await left('byOwner')).toEqual(['ancient', 'later', 'never', 'text'])
    second = NOW + 60
    expect(await settled(3)).toEqual(['ancient', 'never', 'text'])
    expect(await left('byOwner')).toEqual(['ancient', 'never', 'text'])
  })

  test('follows an update of the attribute', async () => {
    await enable()
    await put('prolonged', NOW + 10)
    await put('sentinel', NOW + 10)
    await subject.doc.update({
      TableName,
      Key: { pk: 'p', sk: 'prolonged' },
      UpdateExpression: 'SET expires = :later',
      ExpressionAttributeValues: { ':later': NOW + 100 },
    })
    second = NOW + 10
    expect(await settled(1)).toEqual(['prolonged'])
  })

  test('applies to items from before it was enabled', async () => {
    for (let i = 0; i < 450; i += 25) {
      const puts = Array.from({ length: 25 }, (_, j) => ({
        PutRequest: { Item: { pk: 'many', sk: String(i + j), expires: NOW - 1 } },
      }))
      await subject.doc.batchWrite({ RequestItems: { [TableName]: puts } })
    }
    expect(await left()).toHaveLength(450)
    await enable()
    expect(await settled(0)).toEqual([])
  })
})
