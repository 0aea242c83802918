import * as z from 'zod'
import { type MessageOf, topic } from '#shared/platform/queues/topic.ts'

/**
 * Requests the next attempt of a delivery; repeats do nothing. Without a delivery, requests the mail to the user that
 * the endpoint was disabled.
 */
export const webhookDeliveries = topic('webhook-deliveries', () =>
  z.object({
    userId: z.string(),
    endpointId: z.string(),
    delivery: z.object({ id: z.string(), attempt: z.number() }).optional(),
  }),
)

export type WebhookWork = MessageOf<typeof webhookDeliveries>
