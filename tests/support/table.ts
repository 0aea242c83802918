import {
  CreateTableCommand,
  DynamoDBClient,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb'
import { dynamoTable } from '../../shared/platform/table/dynamo.ts'
import type { Table } from '../../shared/platform/table/port.ts'
import { startDatabase } from '../../stacks/local/database/server.ts'
import { table as schema } from '../../shared/manifest/table.ts'
import { useLocalCredentials } from './credentials.ts'

export interface TestTable {
  /** The platform's table in a database of its own, over the wire. */
  table: Table
  tableName: string
  endpoint: string
  /** Ends the database and everything in it. */
  close(): Promise<void>
}

const places = new WeakMap<Table, Pick<TestTable, 'tableName' | 'endpoint'>>()

/** The settings by which another process finds a table of `startTestTable`. */
export function settingsOf(table: Table) {
  const place = places.get(table)
  if (place === undefined) throw new Error('the table is not one of startTestTable')
  return { TABLE_NAME: place.tableName, DYNAMODB_ENDPOINT: place.endpoint }
}

/** Starts an empty database with the manifest's table in it. Needs no AWS account: any credentials do. */
export async function startTestTable(): Promise<TestTable> {
  useLocalCredentials()
  const tableName = 'platform'
  const { endpoint, close } = await startDatabase({ dir: ':memory:' })
  await createTable(endpoint, tableName)
  const table = dynamoTable({ tableName, endpoint })
  places.set(table, { tableName, endpoint })
  return { table, tableName, endpoint, close }
}

async function createTable(endpoint: string, TableName: string): Promise<void> {
  const client = new DynamoDBClient({ endpoint })
  const { partitionKey, sortKey, indexes, timeToLive } = schema
  const keys = (hash: string, range: string) => [
    { AttributeName: hash, KeyType: 'HASH' as const },
    { AttributeName: range, KeyType: 'RANGE' as const },
  ]
  const names = [partitionKey, sortKey, ...indexes.flatMap((i) => [i.partitionKey, i.sortKey])]
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: names.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      KeySchema: keys(partitionKey, sortKey),
      GlobalSecondaryIndexes: indexes.map((index) => ({
        IndexName: index.name,
        KeySchema: keys(index.partitionKey, index.sortKey),
        Projection: { ProjectionType: 'ALL' },
      })),
    }),
  )
  await client.send(
    new UpdateTimeToLiveCommand({
      TableName,
      TimeToLiveSpecification: { AttributeName: timeToLive, Enabled: true },
    }),
  )
  client.destroy()
}
