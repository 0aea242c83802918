import * as z from 'zod'
import { type MessageOf, topic } from '#shared/platform/queues/topic.ts'

/** A payment whose outcome on the chain must be checked. */
export const paymentChecks = topic('agent-payments', () =>
  z.object({
    agentId: z.string(),
    paymentId: z.string(),
    /** The number of the check that it requests, from 1. */
    attempt: z.number(),
  }),
)

export type PaymentCheck = MessageOf<typeof paymentChecks>
