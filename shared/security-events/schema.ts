import * as z from 'zod'

/** Which receiver an event came to: each has its own actions (spec.md, Events). */
export const receivers = ['risc', 'legacy'] as const

export type Receiver = (typeof receivers)[number]

/** Whom an event is about, as far as it says. */
const subject = z.object({
  /** The provider's own id of the person. */
  sub: z.string().optional(),
  email: z.string().optional(),
})

export type Subject = z.output<typeof subject>

/** A verified token's content on its way through the queue. */
export const SecurityEventMessage = z.object({
  receiver: z.enum(receivers),
  jti: z.string(),
  /** Epoch milliseconds. */
  receivedAt: z.number(),
  /** When it happened, in epoch seconds, as the provider says. */
  occurredAt: z.number(),
  events: z.array(z.object({ name: z.string(), subject, reason: z.string().optional() })),
})

export type SecurityEventMessage = z.output<typeof SecurityEventMessage>

export type SecurityEvent = SecurityEventMessage['events'][number]
