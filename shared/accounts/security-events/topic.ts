import * as z from 'zod'
import { type MessageOf, topic } from '#shared/platform/queues/topic.ts'

/** A verified token's content in the queue. */
export const securityEvents = topic('security-events', () =>
  z.object({
    /** The receiver of the token: each has its own actions (spec.md, Events). */
    receiver: z.enum(['risc', 'legacy']),
    jti: z.string(),
    /** Epoch milliseconds. */
    receivedAt: z.number(),
    /** Time of the event in epoch seconds, according to the provider. */
    occurredAt: z.number(),
    events: z.array(
      z.object({
        name: z.string(),
        /** The subject of the event, with the known fields; `sub` is the provider's own id of the person. */
        subject: z.object({ sub: z.string().optional(), email: z.string().optional() }),
        reason: z.string().optional(),
      }),
    ),
  }),
)

export type SecurityEventMessage = MessageOf<typeof securityEvents>
export type Receiver = SecurityEventMessage['receiver']
export type SecurityEvent = SecurityEventMessage['events'][number]
export type Subject = SecurityEvent['subject']
