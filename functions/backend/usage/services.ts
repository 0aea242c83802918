import { routesWith } from '../../../shared/http/route.ts'
import type { Table } from '../../../shared/platform/table/port.ts'

export const route = routesWith<{ table: Table }>()

/** How usage queries answer: contract.md 6. */
export function found<Data>(data: Data): { success: true; data: Data } {
  return { success: true, data }
}
