import { askDatabase } from '#carrier'
import type { Settings } from '../config/settings.ts'
import { dynamoTable } from './dynamo.ts'
import type { Table } from './port.ts'
import { sendInProcess } from './send-as-json.ts'

/** Opens the platform's table at the address in a function's settings. */
export function openTable({
  TABLE_NAME: tableName,
  DYNAMODB_ENDPOINT: endpoint,
}: Pick<Settings, 'TABLE_NAME' | 'DYNAMODB_ENDPOINT'>): Table {
  return dynamoTable({
    tableName,
    endpoint,
    ...(askDatabase !== undefined && { send: sendInProcess(askDatabase) }),
  })
}
