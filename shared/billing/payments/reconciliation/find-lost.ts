import { paidPartition, paidShards, subscriptionOwnerRows } from '#shared/accounts/users/rows.ts'
import { findUser } from '#shared/accounts/users/user.ts'
import type { Item, Table } from '#shared/platform/table/port.ts'
import type { PaymentProvider } from '../provider.ts'
import { type Difference, holdingsOf, isRunning } from './compare.ts'

/**
 * Finds the plans and storage of users whose subscriptions do not exist at the provider.
 * @param listed the ids that the provider listed
 */
export async function findLost(
  table: Table,
  provider: PaymentProvider,
  listed: ReadonlySet<string>,
): Promise<Difference[]> {
  const found: Difference[] = []
  for (let shard = 0; shard < paidShards; shard++) {
    let from = {}
    for (;;) {
      const { items, next } = await table.query({
        index: 'gsi1',
        pk: paidPartition(shard),
        ...from,
      })
      for (const item of items) found.push(...(await lostOf(table, provider, { item, listed })))
      if (next === undefined) break
      from = { after: next }
    }
  }
  return found
}

async function lostOf(
  table: Table,
  provider: PaymentProvider,
  { item, listed }: { item: Item; listed: ReadonlySet<string> },
): Promise<Difference[]> {
  const subscriptionId = String(item.gsi1sk)
  if (listed.has(subscriptionId)) return []
  const user = await findUser(table, subscriptionOwnerRows.parse(item).userId)
  const running = user
    ? holdingsOf(user, subscriptionId).filter(({ status }) => isRunning(status))
    : []
  const [active] = running
  if (user === undefined || active === undefined) return []
  // The subscription may have started after its page was read.
  if ((await provider.findSubscription(subscriptionId)) !== undefined) return []
  return [{ kind: 'unknown', subscriptionId, userId: user.id, here: active.status, there: null }]
}
