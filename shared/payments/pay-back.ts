import { findUser } from '../accounts/user.ts'
import { audit, type AuditContext } from '../identity/audit.ts'
import { type TellContext, type WebhookEvent, webhookParts } from '../outbound-webhooks/emit.ts'
import type { Log } from '../platform/log.ts'
import { notConfigured } from '../platform/errors.ts'
import { tryCommit } from '../platform/table/commit.ts'
import { userStore } from '../platform/table/user-store.ts'
import { subscriptionEvents } from './changed.ts'
import { isHeld } from './cancel-unwanted.ts'
import type { PaymentProvider } from './provider.ts'
import { type Order, orderRows, refundRows } from './rows.ts'

interface PayBackContext extends AuditContext, Pick<TellContext, 'queues'> {
  log: Log
  /** Absent without its key. */
  provider: PaymentProvider | undefined
}

/**
 * Pays back at the provider what is due to a user. A row goes, in one transaction with the audit's entry, once the
 * provider has paid back, and the provider does that once for a payment: a process that dies in between only asks again.
 * @throws PlatformError 502 where the provider fails, 503 without its key: the message then comes back
 */
export async function payBack(ctx: PayBackContext, { userId }: { userId: string }): Promise<void> {
  const { table, provider, log } = ctx
  const store = userStore(table, userId)
  const { items } = await store.query({ beginsWith: refundRows.prefix(), consistent: true })
  if (items.length === 0) return
  if (provider === undefined) throw notConfigured('Paying back', ['PAYMENTS_SECRET_KEY'])
  for (const item of items) {
    const { orderId, sessionId, ...own } = refundRows.parse(item)
    const row = await table.get(orderRows.key({ orderId }))
    const order = row && orderRows.parse(row)
    const payment = order?.sessionId === sessionId ? { ...pick(order), ...own } : own
    const { subscriptionId } = payment
    // The payment did not say what it began: the subscription's own events do.
    if (Object.keys(payment).length === 0) continue
    const isWanted = subscriptionId !== undefined && (await isHeld(table, subscriptionId))
    const isPaid = !isWanted && (await provider.payBack({ orderId, ...payment }))
    if (!isWanted && !isPaid)
      log.warn(
        'the provider knows of no payment to pay back',
        { userId, orderId, ...payment },
        { by: [['function']], of: { RefundsMissed: [1, 'Count'] } },
      )
    const action = order?.buys.kind === 'storage' ? 'storage.changed' : 'subscription.changed'
    const entry = { userId, target: orderId, before: { orderId, state: 'paid' } }
    await tryCommit(table, {
      done: store.write.delete(refundRows.sk({ sessionId }), { if: 'attribute_exists(pk)' }),
      audit: isPaid
        ? await audit(ctx, action, { ...entry, after: { orderId, state: 'refunded' } })
        : undefined,
      ...(isPaid &&
        action === 'subscription.changed' &&
        (await webhookParts(ctx, userId, await refundEvents(ctx, { userId, orderId })))),
    })
    log.info('refund', { userId, orderId, ...payment, paidBack: isPaid })
  }
}

/** What the user has now, beside the order that was paid back; nothing is told of an account that is gone. */
async function refundEvents(
  { table }: Pick<PayBackContext, 'table'>,
  { userId, orderId }: { userId: string; orderId: string },
): Promise<WebhookEvent[]> {
  const user = await findUser(table, userId)
  if (user === undefined) return []
  return subscriptionEvents(user).map(({ type, data }) => ({
    type,
    data: { ...data, refundedOrderId: orderId },
  }))
}

/** What an order says of its payment at the provider. */
function pick({ subscriptionId, paymentIntent, invoiceId }: Order) {
  return {
    ...(subscriptionId !== undefined && { subscriptionId }),
    ...(paymentIntent !== undefined && { paymentIntent }),
    ...(invoiceId !== undefined && { invoiceId }),
  }
}
