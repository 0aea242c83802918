import * as z from 'zod'
import { type MessageOf, topic } from '#shared/platform/queues/topic.ts'

/**
 * The next try of a delivery; repeats do nothing. Without a delivery, the task to notify the user that the endpoint
 * was disabled.
 */
export const webhookDeliveries = topic('webhook-deliveries', () =>
  z.object({
    userId: z.string(),
    endpointId: z.string(),
    delivery: z.object({ id: z.string(), attempt: z.number() }).optional(),
  }),
)

export type WebhookWork = MessageOf<typeof webhookDeliveries>
