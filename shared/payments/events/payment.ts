import * as z from 'zod'
import type { Order } from '../rows.ts'
import { idOf } from './word.ts'

const text = z.string().optional().catch(undefined)

/** A checkout session of the provider, as far as it is read. */
export const session = z.object({
  id: z.string().min(1),
  mode: text,
  payment_status: text,
  amount_total: z.number().optional().catch(undefined),
  currency: text,
  client_reference_id: text,
  customer: idOf,
  subscription: idOf,
  payment_intent: idOf,
  invoice: idOf,
  metadata: z.object({ order: text }).optional().catch(undefined),
})

export type Session = z.output<typeof session>

/** A payment of an order. */
export interface Payment {
  order: Order
  session: Session
  /** Epoch seconds, as the provider says. */
  at: number
  /** Nothing had to be paid yet, since it begins with a trial. */
  isTrial: boolean
}
