import { findUser } from '#shared/accounts/users/user.ts'
import { notConfigured } from '#shared/platform/errors.ts'
import { audit, type AuditContext } from '#shared/platform/identity/audit.ts'
import type { Optional, Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { type WebhookEvent, webhookParts } from '#shared/signals/outbound-webhooks/emit.ts'
import { hasOwner } from './cancel-unwanted.ts'
import type { HasPayments } from './provider.ts'
import { type Order, orderRows, refundRows } from './rows.ts'
import { subscriptionEvents } from './subscription-events.ts'

/**
 * Refunds a user's due payments at the provider. A row is deleted, in one transaction with the audit entry, after the
 * provider has refunded it. The provider refunds a payment once, so a process that dies in between can request it
 * again.
 * @throws PlatformError 502 if the provider fails, 503 without its key; the message is then delivered again
 */
export async function refundPayments(
  ctx: Pick<Context, 'log'> & AuditContext & HasPayments & Optional<Sends<'webhook-deliveries'>>,
  { userId }: { userId: string },
): Promise<void> {
  const { table, provider, log } = ctx
  const store = userStore(table, userId)
  const { items } = await store.query({ beginsWith: refundRows.prefix(), consistent: true })
  if (items.length === 0) return
  if (provider === undefined) throw notConfigured('Paying back', ['PAYMENTS_SECRET_KEY'])
  for (const item of items) {
    const { orderId, sessionId, ...own } = refundRows.parse(item)
    const order = await orderRows.find(table, { orderId })
    const payment = order?.sessionId === sessionId ? { ...pick(order), ...own } : own
    const { subscriptionId } = payment
    // The payment event contained no ids to refund by; the subscription's later events contain them.
    if (Object.keys(payment).length === 0) continue
    const isWanted = subscriptionId !== undefined && (await hasOwner(table, subscriptionId))
    const isPaid = !isWanted && (await provider.payBack({ orderId, ...payment }))
    if (!isWanted && !isPaid)
      log.warn(
        'the provider has no payment to refund',
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

/** Returns the webhook events of a refund, with the user's current plan; none if the account is deleted. */
async function refundEvents(
  { table }: Pick<AuditContext, 'table'>,
  { userId, orderId }: { userId: string; orderId: string },
): Promise<WebhookEvent[]> {
  const user = await findUser(table, userId)
  if (user === undefined) return []
  return subscriptionEvents(user).map(({ type, data }) => ({
    type,
    data: { ...data, refundedOrderId: orderId },
  }))
}

/** Returns the ids of an order's payment at the provider. */
function pick({ subscriptionId, paymentIntent, invoiceId }: Order) {
  return {
    ...(subscriptionId !== undefined && { subscriptionId }),
    ...(paymentIntent !== undefined && { paymentIntent }),
    ...(invoiceId !== undefined && { invoiceId }),
  }
}
