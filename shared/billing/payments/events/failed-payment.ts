import type { Log, LogFields } from '#shared/platform/log.ts'
import type { EventContext } from '../context.ts'
import type { Decision } from './apply.ts'
import type { PaymentEvent } from './event.ts'
import { orderOf } from './paid.ts'
import { session } from './payment.ts'

/**
 * Decides the effect of a payment that failed after its checkout, for example a bank debit. Nothing was granted yet, so
 * nothing is withdrawn.
 */
export async function decideFailedPayment(
  { table, log }: EventContext,
  { id: eventId, data }: PaymentEvent,
): Promise<Decision | undefined> {
  const parsed = session.safeParse(data.object)
  const found = parsed.success ? await orderOf(table, parsed.data) : undefined
  if (found?.isOurs !== true) return undefined
  const { id: orderId, userId } = found.order
  const afterCommit = () => logFailedPayment(log, { eventId, userIds: [userId], orderId })
  return { parts: {}, userIds: [], afterCommit }
}

/** Counts a failed payment. The provider mails the user; the alarm is for many failures in a short time. */
export function logFailedPayment(log: Log, fields: LogFields): void {
  log.warn('a payment failed', fields, {
    by: [['function']],
    of: { FailedPayments: [1, 'Count'] },
  })
}
