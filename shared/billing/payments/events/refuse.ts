import { ifUnchanged } from '#shared/platform/table/if-unchanged.ts'
import type { EventContext } from '../context.ts'
import { refundDue } from '../refund-due.ts'
import { orderRows } from '../rows.ts'
import { scheduleCancellation } from '../schedule-cancellation.ts'
import type { Decision } from './apply.ts'
import { findSubscription } from './find-subscription.ts'
import type { OrderPayment } from './payment.ts'

interface Refusal {
  eventId: string
  /** The field that does not match the order. */
  wrong: string
  /** True if the platform created the session. */
  isOurs: boolean
}

/**
 * Rejects a payment that does not match its order: grants nothing and logs it once. Cancels the subscription that the
 * payment started, because it has no user. Refunds a second payment of one order.
 */
export async function refusePayment(
  { table, log }: EventContext,
  { order, session, isTrial }: OrderPayment,
  { eventId, wrong, isOurs }: Refusal,
): Promise<Decision> {
  const { id: orderId, userId, state, refusedSessionId, subscriptionId } = order
  const { subscription: id } = session
  const row = id === undefined ? undefined : await findSubscription(table, id)
  const ends = isOurs && id !== undefined
  const decision = { userIds: isOurs ? [userId] : [] }
  if (refusedSessionId === session.id) return { ...decision, parts: {} }
  log.warn(
    'a payment does not match its order',
    { eventId, orderId, userId, wrong, sessionId: session.id, subscriptionId: id },
    { by: [['function']], of: { PaymentMismatches: [1, 'Count'] } },
  )
  const isSecond = state === 'paid' && isOurs && !isTrial
  return {
    ...decision,
    parts: {
      order: {
        update: orderRows.key({ orderId }),
        set: { refusedSessionId: session.id },
        ...ifUnchanged({ state, refusedSessionId, subscriptionId }),
      },
      unwanted: ends ? scheduleCancellation(userId, id, row?.seen?.status) : undefined,
      refund: isSecond ? refundDue(userId, orderId, session) : undefined,
    },
  }
}
