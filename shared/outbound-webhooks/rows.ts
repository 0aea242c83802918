import * as z from 'zod'
import { entity } from '../platform/table/entity.ts'
import { shardOf } from '../platform/table/shard.ts'
import { webhookEventTypes } from './types.ts'

/** Deliveries that are not over, and endpoints whose user is to be told, are spread over this many partitions of the index. */
const shards = 16

const partitionOf = (shard: number) => `webhooks#${shard}`

/** Every partition of the index that the tick looks at. */
export const webhookPartitions = Array.from({ length: shards }, (_, shard) => partitionOf(shard))

/** The place in the index of a row that the tick is to look after from `at` (epoch milliseconds) on. */
export function dueIndex(id: string, at: number) {
  return {
    gsi1pk: partitionOf(shardOf(id, shards)),
    gsi1sk: `${new Date(at).toISOString()}#${id}`,
  }
}

/** Where a user’s events are posted to; in the index while the mail that says it was disabled is to be sent. */
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
      events: z.array(z.enum(webhookEventTypes)),
      /** What deliveries are signed with, sealed for this row. */
      secret: z.string(),
      /** The user's `keyEpoch` when it was made: once every key has ended, so has it. */
      epoch: z.number().default(0),
      /** ISO 8601. */
      createdAt: z.string(),
      /** The first failed try since the last one that was taken, ISO 8601. */
      failingSince: z.string().optional(),
      /** ISO 8601. */
      disabledAt: z.string().optional(),
      /** Three days of failure where it is absent: rows of earlier releases have no other. */
      disabledBecause: z.enum(['failing', 'gone']).optional(),
    }),
})

/** An event on its way to one endpoint, kept 30 days; in the index until it was delivered or given up. */
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
      /** Names the event: the same for all its endpoints, at every try and every time that it is sent again. */
      messageId: z.string(),
      type: z.enum(webhookEventTypes),
      /** The body as it is posted. */
      text: z.string(),
      /** ISO 8601. */
      createdAt: z.string(),
      status: z.enum(['pending', 'delivered', 'failed']),
      /** Tries that were begun. */
      attempts: z.number(),
      /** Of the last try; null where there was no answer. */
      responseStatus: z.number().nullable(),
      /** ISO 8601; null once it is over. */
      nextAttemptAt: z.string().nullable(),
    }),
})

export type WebhookEndpoint = z.output<ReturnType<typeof endpointRows.declared.schema>>

export type DisabledBecause = NonNullable<WebhookEndpoint['disabledBecause']>

export type WebhookDelivery = z.output<ReturnType<typeof deliveryRows.declared.schema>>
