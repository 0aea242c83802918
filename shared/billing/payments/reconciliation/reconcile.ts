import * as z from 'zod'
import type { Context } from '#shared/platform/identity/context.ts'
import { parseSnapshot } from '../events/subscription-snapshot.ts'
import type { HasPayments } from '../provider.ts'
import { compare, type Difference } from './compare.ts'
import { findLost } from './find-lost.ts'

/** The fields of a listed subscription that its snapshot does not contain. */
const listed = z.object({
  id: z.string(),
  metadata: z
    .object({ order: z.string().optional().catch(undefined) })
    .optional()
    .catch(undefined),
})

/**
 * Compares every subscription at the provider with the users' records. Logs each difference with a metric and changes
 * nothing. An event in transit also causes a difference, which is gone the next day.
 * @returns the number of subscriptions and of differences
 * @throws PlatformError 502 if the provider fails
 */
export async function reconcile(
  ctx: Pick<Context, 'table' | 'log'> & HasPayments,
): Promise<{ subscriptions: number; differences: number }> {
  const { table, provider, log } = ctx
  const ids = new Set<string>()
  let differences = 0
  const report = (found: readonly Difference[]) => {
    differences += found.length
    for (const { kind, ...difference } of found)
      log.warn(
        'a subscription differs at the provider',
        { difference: kind, ...difference },
        { by: [['function']], of: { ReconciliationDifferences: [1, 'Count'] } },
      )
  }
  if (provider === undefined) return { subscriptions: 0, differences }
  let after: string | undefined
  do {
    const page = await provider.subscriptions(after)
    const items = page.items.map((item) => ({
      ...listed.parse(item),
      snapshot: parseSnapshot(item),
    }))
    for (const { id } of items) ids.add(id)
    const found = await Promise.all(
      items.map(({ snapshot, metadata }) =>
        snapshot === undefined ? [] : compare(table, { snapshot, orderId: metadata?.order }),
      ),
    )
    report(found.flat())
    after = page.hasMore ? items.at(-1)?.id : undefined
  } while (after !== undefined)
  report(await findLost(table, provider, ids))
  return { subscriptions: ids.size, differences }
}
