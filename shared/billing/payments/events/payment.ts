import * as z from 'zod'
import type { Order } from '../rows.ts'
import { expandableId, providerId } from './expandable-id.ts'

const text = z.string().optional().catch(undefined)

/** The fields of the provider's checkout session that the platform reads. */
export const session = z.object({
  id: providerId.min(1),
  mode: text,
  payment_status: text,
  amount_total: z.int().optional().catch(undefined),
  currency: text,
  client_reference_id: text,
  customer: expandableId,
  subscription: expandableId,
  payment_intent: expandableId,
  invoice: expandableId,
  metadata: z.object({ order: text }).optional().catch(undefined),
})

export type CheckoutSession = z.output<typeof session>

export interface OrderPayment {
  order: Order
  session: CheckoutSession
  /** The time of the provider's event, in epoch seconds. */
  at: number
  /** True if the session started a trial, which is not paid yet. */
  isTrial: boolean
}
