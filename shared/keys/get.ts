import { notFound } from '../platform/errors.ts'
import type { Table } from '../platform/table/port.ts'
import { type ApiKey, keysOf } from './key.ts'

/** @throws PlatformError 404 for a key that is not this user's */
export async function getKey(table: Table, userId: string, id: string): Promise<ApiKey> {
  const key = (await keysOf(table, userId)).find((one) => one.id === id)
  if (key === undefined) throw notFound('API key')
  return key
}
