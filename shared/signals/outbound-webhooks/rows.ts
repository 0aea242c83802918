import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'
import { dueIndex } from '#shared/platform/work/due-index.ts'
import { newerTypes, storedTypes } from './types.ts'

/** The index of unfinished deliveries, and of endpoints whose user must be notified. */
export const webhooksDue = dueIndex('webhooks', 16)

/** A target of a user’s events. It is in the index from the time it is disabled until its user is notified by mail. */
export const endpointRows = entity({
  name: 'webhook endpoint',
  id: 'whe',
  count: 'webhookEndpointCount',
  pk: 'user#{userId}',
  sk: 'webhook-endpoint#{endpointId}',
  gsi1: { pk: 'webhooks#{shard}', sk: '{at}#{endpointId}' },
  schema: () =>
    z.object({
      id: z.string(),
      userId: z.string(),
      url: z.string(),
      events: z.array(z.enum(storedTypes)),
      newerEvents: z.array(z.enum(newerTypes)).optional(),
      /** The secret that signs deliveries, sealed for this row. */
      secret: z.string(),
      /**
       * The user's `keyEpoch` when the endpoint was created. When all keys are revoked, the endpoint is disabled too.
       */
      epoch: z.number().default(0),
      /** ISO 8601. */
      createdAt: z.string(),
      /** The first failed attempt since the last success, ISO 8601. */
      failingSince: z.string().optional(),
      /** ISO 8601. */
      disabledAt: z.string().optional(),
      /** Absent for `failing` in rows of earlier releases, which had no other reason. */
      disabledBecause: z.enum(['failing', 'gone']).optional(),
    }),
})

/** An event’s delivery to one endpoint, stored for 30 days. It is in the index until it succeeded or finally failed. */
export const deliveryRows = entity({
  name: 'webhook delivery',
  id: 'whd',
  pk: 'user#{userId}',
  sk: 'webhook-delivery#{endpointId}#{deliveryId}',
  gsi1: { pk: 'webhooks#{shard}', sk: '{at}#{deliveryId}' },
  schema: () =>
    z.object({
      id: z.string(),
      userId: z.string(),
      endpointId: z.string(),
      /** The event’s id: the same for all its endpoints, attempts and redeliveries. */
      messageId: z.string(),
      type: z.enum(storedTypes),
      newerType: z.enum(newerTypes).optional(),
      /** The request body. */
      text: z.string(),
      /** ISO 8601. */
      createdAt: z.string(),
      status: z.enum(['pending', 'delivered', 'failed']),
      /** The number of attempts that were started. */
      attempts: z.number(),
      /** The status of the last attempt; null without a response. */
      responseStatus: z.number().nullable(),
      /** ISO 8601; null for a finished delivery. */
      nextAttemptAt: z.string().nullable(),
    }),
})

export type WebhookEndpoint = z.output<ReturnType<typeof endpointRows.declared.schema>>

export type DisabledBecause = NonNullable<WebhookEndpoint['disabledBecause']>

export type WebhookDelivery = z.output<ReturnType<typeof deliveryRows.declared.schema>>
