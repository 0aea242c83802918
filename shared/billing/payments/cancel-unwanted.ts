import { notConfigured } from '#shared/platform/errors.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { ownersOf } from './owners.ts'
import type { HasPayments } from './provider.ts'
import { unwantedRows } from './rows.ts'

/**
 * Cancels a user's unwanted subscriptions at the provider. A row is deleted after its subscription is cancelled, so a
 * process that dies in between cancels again.
 * @throws PlatformError 502 if the provider fails, 503 without its key; the message is then delivered again
 */
export async function cancelUnwanted(
  { table, log, provider }: Pick<Context, 'table' | 'log'> & HasPayments,
  { userId }: { userId: string },
): Promise<void> {
  const store = userStore(table, userId)
  const { items } = await store.query({ beginsWith: unwantedRows.prefix(), consistent: true })
  if (items.length === 0) return
  if (provider === undefined)
    throw notConfigured('Cancelling subscriptions', ['PAYMENTS_SECRET_KEY'])
  for (const item of items) {
    const { id } = unwantedRows.parse(item)
    const isWanted = await hasOwner(table, id)
    if (!isWanted) await provider.cancelSubscription(id)
    await store.delete(unwantedRows.sk({ id }))
    log.info('unwanted subscription', { userId, id, cancelled: !isWanted })
  }
}

/** Reports whether a user has the subscription: a trusted caller may have granted it in the meantime. */
export async function hasOwner(table: Table, id: string): Promise<boolean> {
  const owners = await ownersOf(table, id)
  return owners.some(({ subscription, storage }) =>
    [subscription.id, storage?.subscriptionId].includes(id),
  )
}
