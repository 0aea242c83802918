import type { Write } from '../platform/table/port.ts'
import { unwantedRows } from './rows.ts'

/** That a subscription is to be cancelled, unless it is over. */
export function unwanted(
  userId: string,
  id: string | null | undefined,
  status: string | undefined,
): Write | undefined {
  if (id === null || id === undefined || status === 'canceled') return undefined
  return { put: unwantedRows.put({ userId, id }, { id }) }
}
