import * as z from 'zod'
import type { Table } from '#shared/platform/table/port.ts'
import { type Order, orderRows } from '../rows.ts'

/** The metadata that the platform sets on each checkout's subscription and payment, to find the order of an event. */
const metadata = z.object({
  metadata: z.object({ order: z.string(), user: z.string().optional().catch(undefined) }),
})

/**
 * Returns the order that the metadata of a provider's object names. Returns undefined if the order already has such an
 * object, or belongs to another customer or user.
 * @param expected `has` reports whether the order already has such an object; `customerId` is the object's customer
 */
export async function findNamedOrder(
  table: Table,
  object: unknown,
  expected: { customerId: string | null | undefined; has: (order: Order) => boolean },
): Promise<Order | undefined> {
  const reference = metadata.safeParse(object).data?.metadata
  if (reference === undefined || reference.order === '') return undefined
  const order = await orderRows.find(table, { orderId: reference.order })
  if (order === undefined || expected.has(order)) return undefined
  const isForeign =
    isOther(reference.user, order.userId) || isOther(order.customerId, expected.customerId)
  return isForeign ? undefined : order
}

/** True if an order needs no payment intent or already has it. Only orders of credits have one. */
export function hasIntent({ buys, paymentIntent }: Order): boolean {
  return buys.kind !== 'credits' || paymentIntent !== undefined
}

/** Reports whether both ids are known and differ. */
export function isOther(one: string | null | undefined, other: string | null | undefined): boolean {
  if (one === null || other === null) return false
  return one !== undefined && other !== undefined && one !== other
}
