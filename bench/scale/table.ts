import { dynamoTable } from '#shared/platform/table/dynamo.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { sendInProcess } from '#shared/platform/table/send-as-json.ts'
import { startDatabase } from '#stacks/local/database/server.ts'
import { createTable } from '#stacks/local/table/create.ts'
import { useLocalCredentials } from '#tests/support/platform/credentials.ts'
import type { Units } from '../costs/meter/platform.ts'

const tableName = 'platform'

/** The platform's table in memory, with the request units of all requests by DynamoDB's rules. */
export async function meteredTable(): Promise<{
  table: Table
  units: Units
  close(): Promise<void>
}> {
  useLocalCredentials()
  const units: Units = { reads: 0, writes: 0 }
  const { endpoint, call, close } = await startDatabase({
    dir: ':memory:',
    ttlSweepMs: 3_600_000,
    onConsumed({ reads, writes }) {
      units.reads += reads
      units.writes += writes
    },
  })
  await createTable(endpoint, tableName)
  const send = sendInProcess(async (operation, input) => call(operation, input))
  return { table: dynamoTable({ tableName, endpoint, send }), units, close }
}
