import type { Engine } from '../engine.ts'
import { Fault, noSuch } from '../fault.ts'
import { toCharge } from '../objects/payment.ts'
import type { PaymentRecord } from '../store/records.ts'

/**
 * Refunds a payment, or a part of it.
 * @param amount in the currency's smallest unit; default: the rest
 * @throws Fault if less than that is left
 */
export function refund(engine: Engine, id: string, amount?: number): PaymentRecord {
  return engine.store.transaction(() => {
    const payment = engine.payments.find(id)
    if (payment === undefined) throw noSuch('payment_intent', id)
    const left = payment.amount - payment.refunded
    if (left === 0 || (amount ?? left) > left)
      throw new Fault(`Refund amount is greater than unrefunded amount on charge (${left}).`, {
        code: 'charge_already_refunded',
      })
    const refunded = engine.payments.put({
      ...payment,
      refunded: payment.refunded + (amount ?? left),
    })
    engine.events.add('charge.refunded', toCharge(refunded))
    return refunded
  })
}
