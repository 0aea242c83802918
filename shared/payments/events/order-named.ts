import * as z from 'zod'
import type { Table } from '../../platform/table/port.ts'
import { type Order, orderRows } from '../rows.ts'

/** What the platform gives each checkout's subscription and payment, for events that know no more of it. */
const metadata = z.object({
  metadata: z.object({ order: z.string(), user: z.string().optional().catch(undefined) }),
})

/**
 * The order that something at the provider says it was made for; undefined where the order has such a thing already, or
 * is another customer's or user's.
 * @param given `has` says that the order has one; `customerId`: whose it is at the provider
 */
export async function orderNamed(
  table: Table,
  object: unknown,
  given: { customerId: string | null | undefined; has: (order: Order) => boolean },
): Promise<Order | undefined> {
  const named = metadata.safeParse(object).data?.metadata
  if (named === undefined || named.order === '') return undefined
  const row = await table.get(orderRows.key({ orderId: named.order }))
  const order = row && orderRows.parse(row)
  if (order === undefined || given.has(order)) return undefined
  const isAnothers =
    isOther(named.user, order.userId) || isOther(order.customerId, given.customerId)
  return isAnothers ? undefined : order
}

/** True if an order needs no payment intent or already has it. Only orders of credits have one. */
export function hasIntent({ buys, paymentIntent }: Order): boolean {
  return buys.kind !== 'credits' || paymentIntent !== undefined
}

/** Whether two ids are known, and are of two things. */
export function isOther(one: string | null | undefined, other: string | null | undefined): boolean {
  if (one === null || other === null) return false
  return one !== undefined && other !== undefined && one !== other
}
