import * as z from 'zod'
import { topic } from '../platform/queues/topic.ts'

/** Whom an event is about, as far as it says. */
const subject = () =>
  z.object({
    /** The provider's own id of the person. */
    sub: z.string().optional(),
    email: z.string().optional(),
  })

export type Subject = z.output<ReturnType<typeof subject>>

/** A verified token's content on its way through the queue. */
export const securityEventMessage = () =>
  z.object({
    /** Which receiver it came to: each has its own actions (spec.md, Events). */
    receiver: z.enum(['risc', 'legacy']),
    jti: z.string(),
    /** Epoch milliseconds. */
    receivedAt: z.number(),
    /** When it happened, in epoch seconds, as the provider says. */
    occurredAt: z.number(),
    events: z.array(
      z.object({ name: z.string(), subject: subject(), reason: z.string().optional() }),
    ),
  })

export type SecurityEventMessage = z.output<ReturnType<typeof securityEventMessage>>

export type Receiver = SecurityEventMessage['receiver']
export type SecurityEvent = SecurityEventMessage['events'][number]

export const securityEvents = topic<SecurityEventMessage>('security-events')
