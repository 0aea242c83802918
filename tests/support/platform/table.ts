import { setImmediate, setTimeout } from 'node:timers/promises'
import {
  CreateTableCommand,
  DynamoDBClient,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb'
import { table as schema } from '#shared/manifest/table.ts'
import { dynamoTable } from '#shared/platform/table/dynamo.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { sendInProcess } from '#shared/platform/table/send-as-json.ts'
import { startDatabase } from '#stacks/local/database/server.ts'
import { useLocalCredentials } from './credentials.ts'

export interface TestTable {
  /** The platform's table in a database of its own, called in this process as functions of the local stack do. */
  table: Table
  /** The same table through the SDK's client, as functions on AWS call it. */
  byClient: Table
  tableName: string
  endpoint: string
  /** Ends the database and deletes its data. */
  close(): Promise<void>
}

const reads = new Set(['GetItem', 'BatchGetItem', 'Query'])

const places = new WeakMap<Table, Pick<TestTable, 'tableName' | 'endpoint'>>()

/** Returns the settings that let another process find a table of `startTestTable`. */
export function settingsOf(table: Table) {
  const place = places.get(table)
  if (place === undefined) throw new Error('the table is not one of startTestTable')
  return { TABLE_NAME: place.tableName, DYNAMODB_ENDPOINT: place.endpoint }
}

/**
 * A fault for one operation: a transaction conflict, throttling, or a lost response to an operation that was carried
 * out.
 */
export type Fault = 'answer lost' | 'conflict' | 'throttled'

const faults: Record<Fault, { status: number; body: string }> = {
  'answer lost': { status: 500, body: JSON.stringify({ __type: 'InternalServerError' }) },
  conflict: {
    status: 400,
    body: JSON.stringify({
      __type: 'TransactionCanceledException',
      CancellationReasons: [{ Code: 'TransactionConflict' }],
    }),
  },
  throttled: { status: 400, body: JSON.stringify({ __type: 'ThrottlingException' }) },
}

/** The response of a database that a test has closed. */
const gone = { status: 400, body: JSON.stringify({ __type: 'ResourceNotFoundException' }) }

/**
 * Starts an empty database with the manifest's table. Needs no AWS account: it accepts any credentials.
 * @param fault returns the fault of an operation on `table`; undefined for none
 */
export async function startTestTable(
  fault: (operation: string) => Fault | undefined = () => undefined,
): Promise<TestTable> {
  useLocalCredentials()
  const tableName = 'platform'
  const { endpoint, close, call } = await startDatabase({ dir: ':memory:' })
  let isOpen = true
  await createTable(endpoint, tableName)
  const byClient = dynamoTable({ tableName, endpoint })
  const send = sendInProcess(async (operation, input) => {
    // Other callers' requests may run in between, as if the database ran in another thread.
    await setImmediate()
    const met = fault(operation)
    if (met === 'conflict' || met === 'throttled') return faults[met]
    // Work that a test did not wait for can end after the test.
    if (!isOpen) return gone
    const answer = call(operation, input)
    if (met !== undefined) return faults[met]
    // No real database responds to a write within a millisecond. The wait gives the next row a later timestamp, and so
    // its place in lists.
    if (!reads.has(operation)) await setTimeout(1)
    return answer
  })
  const table = dynamoTable({ tableName, endpoint, send })
  for (const each of [table, byClient]) places.set(each, { tableName, endpoint })
  return {
    table,
    byClient,
    tableName,
    endpoint,
    async close() {
      isOpen = false
      await close()
    },
  }
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
