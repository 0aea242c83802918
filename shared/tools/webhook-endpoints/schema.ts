import * as z from 'zod'
import { webhookUrl } from '#shared/agents/record/config/values.ts'
import { countOf, cursorText } from '#shared/platform/fields.ts'
import { webhookEventTypes } from '#shared/signals/outbound-webhooks/types.ts'

const types = z.enum(webhookEventTypes).meta({ id: 'WebhookEventType' })

/** contract.md 11, Webhook endpoints. */
export const newEndpoint = z
  .object({
    url: webhookUrl,
    events: z
      .array(types)
      .min(1, 'events required')
      .overwrite((names) => [...new Set(names)]),
  })
  .meta({ id: 'NewWebhookEndpoint' })

const endpointFields = { id: z.string(), url: z.string(), events: z.array(types) }

export const createdEndpoint = z
  .object({
    ...endpointFields,
    secret: z.string().describe('The signing secret; returned only once'),
  })
  .meta({ id: 'CreatedWebhookEndpoint' })

const endpointView = z
  .object({
    ...endpointFields,
    createdAt: z.string(),
    disabledAt: z
      .string()
      .nullable()
      .describe(
        'The time when it was disabled: after three days of failures, by a 410 Gone response, or when all keys were revoked, such as by a password reset; null while it is active',
      ),
  })
  .meta({ id: 'WebhookEndpoint' })

export const endpointList = z.object({ endpoints: z.array(endpointView) })

export const endpointDeleted = z
  .object({ success: z.literal(true), id: z.string() })
  .meta({ id: 'WebhookEndpointDeleted' })

const id = z.string().min(1).max(64)

export const endpointParams = z.object({ id })

export const deliveryParams = z.object({ id, deliveryId: id })

export const deliveryView = z
  .object({
    id: z.string(),
    messageId: z.string().describe('The `webhook-id` of the event; the same for every attempt'),
    type: types,
    createdAt: z.string(),
    status: z.enum(['pending', 'delivered', 'failed']),
    attempts: z.number(),
    responseStatus: z.number().nullable().describe('Null if the last attempt got no response'),
    nextAttemptAt: z.string().nullable(),
  })
  .meta({ id: 'WebhookDelivery' })

/** contract.md 11: the last 100 by default. */
export const deliveryQuery = z.object({ limit: countOf('limit', 100, 100), cursor: cursorText() })

export const deliveryList = z.object({ deliveries: z.array(deliveryView) })

export type NewEndpoint = z.output<typeof newEndpoint>
export type CreatedEndpoint = z.output<typeof createdEndpoint>
export type DeliveryView = z.output<typeof deliveryView>
export type EndpointView = z.output<typeof endpointView>
