import type { Log, LogFields } from '../../platform/log.ts'
import type { EventContext } from '../context.ts'
import type { Decision } from './apply.ts'
import type { PaymentEvent } from './event.ts'
import { orderOf } from './paid.ts'
import { session } from './payment.ts'

/** A checkout whose payment failed afterwards, as bank debits do: nothing was given, so nothing is taken back. */
export async function decideFailed(
  { table, log }: EventContext,
  { id: eventId, data }: PaymentEvent,
): Promise<Decision | undefined> {
  const parsed = session.safeParse(data.object)
  const found = parsed.success ? await orderOf(table, parsed.data) : undefined
  if (found?.isOurs !== true) return undefined
  const { id: orderId, userId } = found.order
  const tell = () => tellOfFailure(log, { eventId, userIds: [userId], orderId })
  return { parts: {}, userIds: [], tell }
}

/** One failed payment is its user's to mend, who gets a mail; many at once are the operator's. */
export function tellOfFailure(log: Log, fields: LogFields): void {
  log.warn('a payment failed', fields, {
    by: [['function']],
    of: { FailedPayments: [1, 'Count'] },
  })
}
