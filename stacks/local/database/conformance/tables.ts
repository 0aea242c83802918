import {
  DeleteTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  ListTablesCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb'
import { describe, expect, test } from 'vitest'
import { refusalName } from './subject.ts'
import type { SubjectOf } from './subject.ts'

export function tables(subject: SubjectOf): void {
  describe('tables', () => {
    test('are created, described, listed and deleted', async () => {
      const { client, createTable } = subject()
      const TableName = await createTable()
      await waitUntilTableExists({ client, maxWaitTime: 5, minDelay: 1 }, { TableName })
      const { Table } = await client.send(new DescribeTableCommand({ TableName }))
      expect(Table).toMatchObject({ TableName, TableStatus: 'ACTIVE', ItemCount: 0 })
      expect(Table?.CreationDateTime?.getTime()).toBeGreaterThan(Date.now() - 60_000)
      const indexes = Table?.GlobalSecondaryIndexes?.map((it) => [it.IndexName, it.IndexStatus])
      expect(indexes?.toSorted()).toEqual([
        ['byOwner', 'ACTIVE'],
        ['flagged', 'ACTIVE'],
      ])
      expect((await client.send(new ListTablesCommand({}))).TableNames).toContain(TableName)
      await client.send(new DeleteTableCommand({ TableName }))
      await waitUntilTableNotExists({ client, maxWaitTime: 5, minDelay: 1 }, { TableName })
      expect((await client.send(new ListTablesCommand({}))).TableNames).not.toContain(TableName)
    })

    test('start empty when their name was used before', async () => {
      const { client, doc, createTable } = subject()
      const TableName = await createTable()
      await doc.put({ TableName, Item: { pk: 'a', sk: 'b', owner: 'o', at: 1 } })
      await client.send(new DeleteTableCommand({ TableName }))
      await createTable({ TableName })
      expect((await doc.scan({ TableName })).Count).toBe(0)
      expect((await doc.scan({ TableName, IndexName: 'byOwner' })).Count).toBe(0)
    })

    test('have unique names, and a missing table is not found', async () => {
      const { client, createTable } = subject()
      const TableName = await createTable()
      expect(await refusalName(createTable({ TableName }))).toBe('ResourceInUseException')
      const gone = { TableName: 'no-such-table' }
      expect(await refusalName(client.send(new DescribeTableCommand(gone)))).toBe(
        'ResourceNotFoundException',
      )
      expect(await refusalName(client.send(new DeleteTableCommand(gone)))).toBe(
        'ResourceNotFoundException',
      )
    })

    test('reject an inconsistent schema', async () => {
      const { createTable } = subject()
      const KeySchema = [{ AttributeName: 'undefined', KeyType: 'HASH' as const }]
      expect(await refusalName(createTable({ KeySchema }))).toBe('ValidationException')
      expect(await refusalName(createTable({ TableName: 'no spaces' }))).toBe('ValidationException')
    })

    test('have their time to live enabled, described and disabled', async () => {
      const { client, createTable } = subject()
      const TableName = await createTable()
      const status = async () => {
        const answer = await client.send(new DescribeTimeToLiveCommand({ TableName }))
        return answer.TimeToLiveDescription
      }
      const set = (Enabled: boolean) =>
        client.send(
          new UpdateTimeToLiveCommand({
            TableName,
            TimeToLiveSpecification: { AttributeName: 'expires', Enabled },
          }),
        )
      expect(await status()).toEqual({ TimeToLiveStatus: 'DISABLED' })
      const { TimeToLiveSpecification } = await set(true)
      expect(TimeToLiveSpecification).toEqual({ AttributeName: 'expires', Enabled: true })
      expect(await status()).toEqual({ TimeToLiveStatus: 'ENABLED', AttributeName: 'expires' })
      expect(await refusalName(set(true))).toBe('ValidationException')
      await set(false)
      expect(await status()).toEqual({ TimeToLiveStatus: 'DISABLED' })
    })
  })
}
