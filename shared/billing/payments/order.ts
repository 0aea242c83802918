import { PlatformError } from '#shared/platform/errors.ts'
import { newId } from '#shared/platform/ids.ts'
import { commit } from '#shared/platform/table/commit.ts'
import { ConditionFailed, type Table } from '#shared/platform/table/port.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import { offerOf, type Purchase } from './catalogue.ts'
import { checkoutRows, type Order, orderRows } from './rows.ts'

/** The retention of an unpaid order: longer than any payment can take after its checkout was created. */
const retentionSeconds = 90 * 86_400

/** Returns the expiry of a pending row, in epoch seconds. */
export const expiry = (now = Date.now()): number => epochSeconds(now) + retentionSeconds

interface OrderRequest {
  userId: string
  buys: Purchase
  /** The request's seed: a retry with the same Idempotency-Key finds the order of the first attempt. */
  seed: string
}

/** Creates an order, or returns the order that an earlier attempt created. */
export async function placeOrder(
  table: Table,
  { userId, buys, seed }: OrderRequest,
): Promise<Order> {
  const order: Order = {
    id: newId(orderRows.id, seed),
    userId,
    buys,
    pence: offerOf(buys).pence,
    createdAt: new Date().toISOString(),
    state: 'open',
  }
  const { id: orderId } = order
  try {
    const row = orderRows.put({ orderId }, order, { expiresAt: expiry() })
    await table.put(row, { if: 'attribute_not_exists(pk)' })
    return order
  } catch (error) {
    if (!(error instanceof ConditionFailed) || error.item === undefined) throw error
    const earlier = orderRows.parse(error.item)
    if (earlier.userId !== userId)
      throw new PlatformError('conflict', 'The order belongs to another user')
    return earlier
  }
}

/** Stores the provider's session of an order, so that its events find the order. */
export async function storeSession(
  table: Table,
  { id: orderId }: Order,
  sessionId: string,
): Promise<void> {
  await commit(table, {
    order: {
      update: orderRows.key({ orderId }),
      set: { sessionId },
      if: 'attribute_exists(pk)',
    },
    checkout: { put: checkoutRows.put({ sessionId }, { orderId }, { expiresAt: expiry() }) },
  })
}
