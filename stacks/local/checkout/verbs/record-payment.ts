import { type Engine, secondsNow } from '../engine.ts'
import { newId } from '../ids.ts'
import type { PaymentRecord } from '../store/records.ts'

type NewPayment = Pick<PaymentRecord, 'amount' | 'currency' | 'customer' | 'metadata'>

/** Records a payment by card; no money moves. */
export function recordPayment(engine: Engine, payment: NewPayment): PaymentRecord {
  return engine.payments.put({
    ...payment,
    id: newId('pi'),
    chargeId: newId('ch'),
    created: secondsNow(engine),
    refunded: 0,
  })
}
