import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb'
import type { Item, Table } from '#shared/platform/table/port.ts'
import { settingsOf } from './table.ts'

/** Returns every item of a table of `startTestTable`. */
export async function copyTable(table: Table): Promise<Item[]> {
  const { TABLE_NAME: TableName, DYNAMODB_ENDPOINT: endpoint } = settingsOf(table)
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint }))
  const items: Item[] = []
  for await (const page of paginateScan({ client }, { TableName, ConsistentRead: true }))
    items.push(...((page.Items ?? []) as Item[]))
  client.destroy()
  return items
}

/** Restores a table to its copy, as a restore to that time does. */
export async function restoreTable(table: Table, items: readonly Item[]): Promise<void> {
  for (const { pk, sk } of await copyTable(table)) await table.delete({ pk, sk })
  for (const item of items) await table.put(item)
}
