import type { Queues } from '#shared/platform/queues/port.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { checkWork } from './work/work.ts'

/**
 * Requests the next check of payments whose process was killed or whose message was lost.
 * @returns the number of payments
 */
export async function tickAgentPayments({
  table,
  queues,
  clock = Date.now,
}: {
  table: Table
  queues: Queues<'agent-payments'>
  clock?: () => number
}): Promise<{ payments: number }> {
  return { payments: await checkWork.tick({ table, queues }, clock()) }
}
