import { type Engine, secondsNow } from '../engine.ts'
import { Fault, noSuch } from '../fault.ts'
import { newId } from '../ids.ts'
import { toDispute } from '../objects/dispute.ts'
import type { DisputeRecord } from '../store/records.ts'

/**
 * Disputes a payment, or a part of it, as the payer's bank does.
 * @param given `amount` in the currency's smallest unit; default: the whole payment
 * @throws Fault if the amount is more than was paid
 */
export function dispute(
  engine: Engine,
  id: string,
  input: { amount?: number | undefined; status: 'warning_needs_response' | 'needs_response' },
): DisputeRecord {
  return engine.store.transaction(() => {
    const payment = engine.payments.find(id)
    if (payment === undefined) throw noSuch('payment_intent', id)
    const amount = input.amount ?? payment.amount
    if (amount > payment.amount) throw new Fault(`No more than ${payment.amount} was paid.`)
    const { chargeId, currency } = payment
    const disputed = engine.disputes.put({
      id: newId('du'),
      created: secondsNow(engine),
      payment: id,
      chargeId,
      amount,
      currency,
      status: input.status,
    })
    engine.events.add('charge.dispute.created', toDispute(disputed))
    return disputed
  })
}

/** Decides a dispute. @throws Fault if it does not exist */
export function closeDispute(engine: Engine, id: string, status: 'won' | 'lost'): DisputeRecord {
  return engine.store.transaction(() => {
    const known = engine.disputes.find(id)
    if (known === undefined) throw noSuch('dispute', id)
    const closed = engine.disputes.put({ ...known, status })
    engine.events.add('charge.dispute.closed', toDispute(closed), { status: known.status })
    return closed
  })
}
