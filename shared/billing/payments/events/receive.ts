import { entitlements } from '#shared/accounts/entitlements/topic.ts'
import { notConfigured } from '#shared/platform/errors.ts'
import type { EventContext } from '../context.ts'
import { applyOnce, type Decision } from './apply.ts'
import { decideDispute } from './dispute.ts'
import { type PaymentEvent, readEvent } from './event.ts'
import { decideFailedPayment } from './failed-payment.ts'
import { decideInvoice } from './invoice.ts'
import { decidePaid } from './paid.ts'
import { decideRefund } from './refund.ts'
import { decideSubscription } from './subscription.ts'

type Decide = (ctx: EventContext, event: PaymentEvent) => Promise<Decision | undefined>

/** The handled event types: contract.md 9, Billing. */
const kinds: ReadonlyMap<string, Decide> = new Map([
  ['checkout.session.completed', decidePaid],
  ['checkout.session.async_payment_succeeded', decidePaid],
  ['checkout.session.async_payment_failed', decideFailedPayment],
  ['customer.subscription.created', decideSubscription],
  ['customer.subscription.updated', decideSubscription],
  ['customer.subscription.deleted', decideSubscription],
  ['invoice.paid', decideInvoice],
  ['charge.refunded', decideRefund],
  ['charge.dispute.created', decideDispute],
  ['charge.dispute.updated', decideDispute],
  ['charge.dispute.funds_withdrawn', decideDispute],
  ['charge.dispute.funds_reinstated', decideDispute],
  ['charge.dispute.closed', decideDispute],
])

/**
 * Verifies an event of the payment provider and applies it once. If the process dies between the commit and the
 * message, the provider gets no response and sends the event again; the retry sends the message.
 * @throws PlatformError 503 without the signing secret, 400 if the signature is invalid
 */
export async function receivePaymentEvent(
  ctx: EventContext,
  request: { payload: Uint8Array; signature: string },
): Promise<void> {
  const { table, log, queues, webhookSecret } = ctx
  if (webhookSecret === undefined)
    throw notConfigured('The receiver of payment events', ['PAYMENTS_WEBHOOK_SECRET'])
  const event = await readEvent(webhookSecret, request)
  const decide = event.account === undefined ? kinds.get(event.type) : undefined
  const userIds =
    decide === undefined ? [] : await applyOnce(table, event.id, () => decide(ctx, event))
  for (const userId of userIds) await queues.send(entitlements, { userId })
  log.info('payment event', { eventId: event.id, type: event.type, moved: userIds })
}
