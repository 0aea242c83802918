import type { Write } from '#shared/platform/table/port.ts'
import { unwantedRows } from './rows.ts'

/** Returns the write that schedules a subscription's cancellation, or undefined if it is already cancelled. */
export function scheduleCancellation(
  userId: string,
  id: string | null | undefined,
  status: string | undefined,
): Write | undefined {
  if (id === null || id === undefined || status === 'canceled') return undefined
  return { put: unwantedRows.put({ userId, id }, { id }) }
}
