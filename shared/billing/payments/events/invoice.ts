import * as z from 'zod'
import { findReferral } from '#shared/accounts/users/referral-payment.ts'
import type { EventContext } from '../context.ts'
import { ownersOf } from '../owners.ts'
import { type Order, orderRows, providerSubscriptionRows } from '../rows.ts'
import type { Decision } from './apply.ts'
import { countPaymentsOf, withPaymentAt } from './count-payments.ts'
import type { PaymentEvent } from './event.ts'
import { expandableId } from './expandable-id.ts'
import { findSubscription, ifSubscriptionUnchanged } from './find-subscription.ts'
import { referralPart } from './grant-credits.ts'

const details = z
  .object({
    subscription: expandableId,
    metadata: z.object({ order: z.string().optional() }).nullish().catch(undefined),
  })
  .nullish()
  .catch(undefined)

const invoice = z.object({
  amount_paid: z.int(),
  parent: z.object({ subscription_details: details }).nullish().catch(undefined),
  // Before API version 2025-03-31 the provider sent these two fields instead of `parent`.
  subscription: expandableId,
  subscription_details: details,
})

/**
 * Decides the effect of a paid invoice: a payment of a referred user counts for the referral. Other events change the
 * subscription itself. Before the checkout's event is applied, the subscription has no user; its metadata contain the
 * order. Without metadata, the payment is stored in the subscription's row, where the checkout's event finds it.
 */
export async function decideInvoice(
  ctx: EventContext,
  { created: at, data }: PaymentEvent,
): Promise<Decision | undefined> {
  const parsed = invoice.safeParse(data.object)
  if (!parsed.success || parsed.data.amount_paid <= 0) return undefined
  const { table } = ctx
  const { parent, subscription, subscription_details: older } = parsed.data
  const about = parent?.subscription_details ?? older
  const id = subscription ?? about?.subscription
  const owners = id === undefined ? [] : await ownersOf(table, id)
  const orderId = about?.metadata?.order
  const order =
    owners.length > 0 || orderId === undefined
      ? undefined
      : await orderRows.find(table, { orderId })
  if (id === undefined) return order && ofOrder(ctx, order, at)
  const users = order === undefined ? owners : [{ id: order.userId }]
  const referrals = await Promise.all(users.map((user) => findReferral(table, user.id)))
  if (users.length > 0 && referrals.every((referral) => referral === undefined)) return undefined
  const row = await findSubscription(table, id)
  const payments = withPaymentAt(row?.payments, at)
  const counted = await countPaymentsOf(ctx, users, { id, ...row, payments })
  return {
    userIds: counted.userIds,
    parts: {
      subscription: {
        update: providerSubscriptionRows.key({ id }),
        set: { id, payments, ...(order && { payer: order.userId }) },
        add: { named: 0 },
        ...ifSubscriptionUnchanged(row),
      },
      ...counted.parts,
    },
  }
}

/** Decides the effect of an invoice whose subscription has no user, but an order in its metadata. */
async function ofOrder(ctx: EventContext, order: Order, paidAt: number): Promise<Decision> {
  const referral = await referralPart(ctx, order, { intent: undefined, paidAt })
  return { userIds: referral === undefined ? [] : [order.userId], parts: { referral } }
}
