import * as z from 'zod'
import { entity } from '../platform/table/entity.ts'
import { shardOf } from '../platform/table/shard.ts'

/** What is left to do for messages is spread over this many partitions of the index. */
export const deliveryShards = 16

export function deliveryPartition(shard: number): string {
  return `bus-deliveries#${shard}`
}

/** The place in the index of a message that the tick is to look after from `at` (epoch milliseconds) on. */
export function dueIndex(messageId: string, at: number) {
  return {
    gsi1pk: deliveryPartition(shardOf(messageId, deliveryShards)),
    gsi1sk: `${new Date(at).toISOString()}#${messageId}`,
  }
}

/** That a message was accepted, for 30 days, so that it is so once; in the index while something is left to do for it. */
export const messageRows = entity({
  name: 'bus message',
  pk: 'bus-message#{messageId}',
  sk: 'message',
  gsi1: { pk: 'bus-deliveries#{shard}', sk: '{at}#{messageId}' },
  schema: () =>
    z.object({
      messageId: z.string(),
      /** Ids of agents. */
      from: z.string(),
      to: z.string(),
      /** ISO 8601. */
      acceptedAt: z.string(),
      /** Its place in the recipient's inbox, where it is in there. */
      place: z.number().optional(),
      /** What is left to do: it is to reach the recipient's webhook, or its recipient is to be woken. */
      open: z
        .object({
          what: z.enum(['deliver', 'wake']),
          /** The owner of the recipient; null for one of the platform's. */
          userId: z.string().nullable(),
          /** Tries that were begun, the one under way included. */
          attempts: z.number(),
          /** The message's JSON, while it is to be delivered. */
          text: z.string().optional(),
        })
        .optional(),
    }),
})

/** A message in an agent’s inbox, by its place in ten digits, kept 30 days. */
export const inboxRows = entity({
  name: 'inbox message',
  pk: 'user#{userId}',
  sk: 'inbox#{agentId}#{place}',
  schema: () =>
    z.object({
      /** Its JSON: the table's own maps would not keep every name and number as it is. */
      text: z.string(),
      /** ISO 8601. */
      receivedAt: z.string(),
    }),
})

/** How many messages an agent’s inbox has taken: places follow each other, so that a reader misses none. */
export const inboxEndRows = entity({
  name: 'end of an inbox',
  pk: 'user#{userId}',
  sk: 'inbox-end#{agentId}',
  schema: () => z.object({ place: z.number() }),
})

/** How many messages a user’s agents have sent on one day, in UTC. */
export const countRows = entity({
  name: 'count of sent messages',
  pk: 'user#{userId}',
  sk: 'bus-count#{date}',
  schema: () => z.object({ count: z.number() }),
})

/** The latest message between two agents of one user within 30 days; `first` is the id that sorts first. */
export const pairRows = entity({
  name: 'pair of agents',
  pk: 'user#{userId}',
  sk: 'bus-pair#{first}#{second}',
  schema: () =>
    z.object({
      from: z.string(),
      to: z.string(),
      action: z.string(),
      /** ISO 8601. */
      at: z.string(),
    }),
})
