import type { EventContext } from '../context.ts'
import { refundDue } from '../refund-due.ts'
import { orderRows } from '../rows.ts'
import { unwanted } from '../unwanted.ts'
import type { Decision } from './apply.ts'
import { asRead } from './as-read.ts'
import { findSubscription } from './find-subscription.ts'
import type { Payment } from './payment.ts'

interface Refusal {
  eventId: string
  /** What is not as it was ordered. */
  wrong: string
  /** The platform made the session. */
  isOurs: boolean
}

/**
 * What a payment does that is not its order's: it gives nothing and is told of, once. The subscription that it began is
 * cancelled, since no user has what it charges for. A second payment of an order is paid back as well.
 */
export async function refuse(
  { table, log }: EventContext,
  { order, session, isTrial }: Payment,
  { eventId, wrong, isOurs }: Refusal,
): Promise<Decision> {
  const { id: orderId, userId, state, refusedSessionId, subscriptionId } = order
  const { subscription: id } = session
  const row = id === undefined ? undefined : await findSubscription(table, id)
  const ends = isOurs && id !== undefined
  const decision = { userIds: isOurs ? [userId] : [] }
  if (refusedSessionId === session.id) return { ...decision, parts: {} }
  log.warn(
    'a payment is not its order’s',
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
        ...asRead({ state, refusedSessionId, subscriptionId }),
      },
      unwanted: ends ? unwanted(userId, id, row?.seen?.status) : undefined,
      refund: isSecond ? refundDue(userId, orderId, session) : undefined,
    },
  }
}
