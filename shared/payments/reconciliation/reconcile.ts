import * as z from 'zod'
import type { Log } from '../../platform/log.ts'
import type { Table } from '../../platform/table/port.ts'
import { wordOf } from '../events/word.ts'
import type { PaymentProvider } from '../provider.ts'
import { compare, type Difference } from './compare.ts'
import { lostAtProvider } from './lost.ts'

export interface ReconciliationContext {
  table: Table
  log: Log
  /** Absent without its key: then there is nothing to compare with. */
  provider: PaymentProvider | undefined
}

/** The part of a listed subscription that is no word about it. */
const listed = z.object({
  id: z.string(),
  metadata: z
    .object({ order: z.string().optional().catch(undefined) })
    .optional()
    .catch(undefined),
})

/**
 * Compares every subscription at the provider with what users hold here. It writes each difference to the log, with a
 * metric, and changes nothing: an event that is on its way makes one as well, which the next day no longer shows.
 * @returns how many subscriptions were compared, and how many differences there are
 * @throws PlatformError 502 where the provider fails
 */
export async function reconcile(
  ctx: ReconciliationContext,
): Promise<{ subscriptions: number; differences: number }> {
  const { table, provider, log } = ctx
  const ids = new Set<string>()
  let differences = 0
  const tell = (found: readonly Difference[]) => {
    differences += found.length
    for (const { kind, ...difference } of found)
      log.warn(
        'the provider and we differ',
        { difference: kind, ...difference },
        { by: [['function']], of: { ReconciliationDifferences: [1, 'Count'] } },
      )
  }
  if (provider === undefined) return { subscriptions: 0, differences }
  let after: string | undefined
  do {
    const page = await provider.subscriptions(after)
    const items = page.items.map((item) => ({ ...listed.parse(item), word: wordOf(item) }))
    for (const { id } of items) ids.add(id)
    const found = await Promise.all(
      items.map(({ word, metadata }) =>
        word === undefined ? [] : compare(table, { word, orderId: metadata?.order }),
      ),
    )
    tell(found.flat())
    after = page.hasMore ? items.at(-1)?.id : undefined
  } while (after !== undefined)
  tell(await lostAtProvider(table, provider, ids))
  return { subscriptions: ids.size, differences }
}
