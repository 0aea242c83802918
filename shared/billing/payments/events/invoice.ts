import * as z from 'zod'
import { referralPaid } from '#shared/accounts/users/referral-payment.ts'
import { numbered } from '#shared/platform/table/commit.ts'
import type { EventContext } from '../context.ts'
import { ownersOf } from '../owners.ts'
import { orderRows } from '../rows.ts'
import type { Decision } from './apply.ts'
import type { PaymentEvent } from './event.ts'
import { expandableId } from './expandable-id.ts'

const details = z
  .object({
    subscription: expandableId,
    metadata: z.object({ order: z.string().optional() }).nullish().catch(undefined),
  })
  .nullish()
  .catch(undefined)

const invoice = z.object({
  amount_paid: z.number(),
  parent: z.object({ subscription_details: details }).nullish().catch(undefined),
  // Before API version 2025-03-31 the provider sent these two fields instead of `parent`.
  subscription: expandableId,
  subscription_details: details,
})

/**
 * Decides the effect of a paid invoice: it records the first payment of a referred user after a trial. Other events
 * change the subscription itself.
 */
export async function decideInvoice(
  ctx: EventContext,
  { data }: PaymentEvent,
): Promise<Decision | undefined> {
  const parsed = invoice.safeParse(data.object)
  if (!parsed.success || parsed.data.amount_paid <= 0) return undefined
  const payers = await payersOf(ctx, parsed.data)
  const paid = await Promise.all(
    payers.map(async (userId) => ({
      userId,
      write: await referralPaid(ctx.table, { userId, paidBy: paidBy(parsed.data) }),
    })),
  )
  const first = paid.flatMap(({ userId, write }) => (write ? [{ userId, write }] : []))
  if (first.length === 0) return undefined
  return {
    userIds: first.map(({ userId }) => userId),
    parts: numbered(
      'referral',
      first.map(({ write }) => write),
    ),
  }
}

/** Returns the id of the subscription, or of its order. */
function paidBy({ parent, subscription, subscription_details: older }: z.output<typeof invoice>) {
  const about = parent?.subscription_details ?? older
  return subscription ?? about?.subscription ?? about?.metadata?.order ?? ''
}

/**
 * Returns the users who pay for the invoice. Before the checkout's event is applied, the subscription has no user, and
 * its metadata name the order.
 */
async function payersOf(
  { table }: EventContext,
  { parent, subscription, subscription_details: older }: z.output<typeof invoice>,
): Promise<string[]> {
  const about = parent?.subscription_details ?? older
  const id = subscription ?? about?.subscription
  const users = id === undefined ? [] : await ownersOf(table, id)
  const orderId = about?.metadata?.order
  if (users.length > 0 || orderId === undefined) return users.map((user) => user.id)
  const row = await table.get(orderRows.key({ orderId }))
  return row === undefined ? [] : [orderRows.parse(row).userId]
}
