import * as z from 'zod'
import { type MessageOf, topic } from '../../platform/queues/topic.ts'

/** That something is left to do for a message, and the try that is to do it: a repeat of an earlier one does nothing. */
export const deliveries = topic('bus-deliveries', () =>
  z.object({ messageId: z.string(), attempt: z.number() }),
)

export type DeliveryRef = MessageOf<typeof deliveries>
