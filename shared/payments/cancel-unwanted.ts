import { findUser } from '../accounts/user.ts'
import type { Log } from '../platform/log.ts'
import { notConfigured } from '../platform/errors.ts'
import type { Table } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import type { PaymentProvider } from './provider.ts'
import { unwantedRows } from './rows.ts'

interface CancelContext {
  table: Table
  log: Log
  /** Absent without its key. */
  provider: PaymentProvider | undefined
}

/**
 * Cancels a user's unwanted subscriptions at the provider. A row goes once its subscription is over, so that a process
 * that dies in between only asks again.
 * @throws PlatformError 502 where the provider fails, 503 without its key: the message then comes back
 */
export async function cancelUnwanted(
  { table, log, provider }: CancelContext,
  { userId }: { userId: string },
): Promise<void> {
  const store = userStore(table, userId)
  const { items } = await store.query({ beginsWith: unwantedRows.prefix(), consistent: true })
  if (items.length === 0) return
  if (provider === undefined)
    throw notConfigured('Cancelling subscriptions', ['PAYMENTS_SECRET_KEY'])
  const user = await findUser(table, userId)
  const wanted = new Set([user?.subscription.id, user?.storage?.subscriptionId])
  for (const item of items) {
    const { id } = unwantedRows.parse(item)
    // A trusted caller may have given it to the user again.
    if (!wanted.has(id)) await provider.cancelSubscription(id)
    await store.delete(unwantedRows.sk({ id }))
    log.info('unwanted subscription', { userId, id, cancelled: !wanted.has(id) })
  }
}
