import type { Queues } from '#shared/platform/queues/port.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { walletChecks } from './work/check.ts'

/**
 * Requests the next check of wallets whose message was lost or whose check was interrupted, and of watched wallets.
 * @returns the number of wallets
 */
export async function tickSplits({
  table,
  queues,
  clock = Date.now,
}: {
  table: Table
  queues: Queues<'splits'>
  clock?: () => number
}): Promise<{ wallets: number }> {
  return { wallets: await walletChecks.tick({ table, queues }, clock()) }
}
