import * as z from 'zod'
import { type MessageOf, topic } from '#shared/platform/queues/topic.ts'

/** A message with outstanding work, and its next attempt. A repeated message of an earlier attempt has no effect. */
export const deliveries = topic('bus-deliveries', () =>
  z.object({ messageId: z.string(), attempt: z.number() }),
)

export type DeliveryRef = MessageOf<typeof deliveries>
