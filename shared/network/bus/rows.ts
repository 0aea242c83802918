import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'
import { dueIndex } from '#shared/platform/work/due-index.ts'

/** The index of outstanding work. */
export const deliveriesDue = dueIndex('bus-deliveries', 16)

/** An accepted message, stored for 30 days so that it is accepted once. It is in the index until its work is done. */
export const messageRows = entity({
  name: 'bus message',
  pk: 'bus-message#{messageId}',
  sk: 'message',
  gsi1: { pk: 'bus-deliveries#{shard}', sk: '{at}#{messageId}' },
  schema: () =>
    z.object({
      messageId: z.string(),
      /** Agent ids. */
      from: z.string(),
      to: z.string(),
      /** ISO 8601. */
      acceptedAt: z.string(),
      /** Its position in the recipient's inbox; absent if it is not in the inbox. */
      place: z.number().optional(),
      /** The outstanding work: to deliver the message to the recipient's webhook, or to wake the recipient. */
      open: z
        .object({
          what: z.enum(['deliver', 'wake']),
          /** The recipient's owner; null for an agent of the platform. */
          userId: z.string().nullable(),
          /** The number of started attempts, including the current one. */
          attempts: z.number(),
          /** The message's JSON while its delivery is pending. */
          text: z.string().optional(),
        })
        .optional(),
    }),
})

/** A message in an agent’s inbox, stored for 30 days. Its position has ten digits. */
export const inboxRows = entity({
  name: 'inbox message',
  pk: 'user#{userId}',
  sk: 'inbox#{agentId}#{place}',
  schema: () =>
    z.object({
      /** The message's JSON, because the table's maps would not preserve every name and number. */
      text: z.string(),
      /** ISO 8601. */
      receivedAt: z.string(),
    }),
})

/**
 * The number of messages that an agent’s inbox has received. Positions are consecutive, so that a reader misses no
 * message.
 */
export const inboxEndRows = entity({
  name: 'end of an inbox',
  pk: 'user#{userId}',
  sk: 'inbox-end#{agentId}',
  schema: () => z.object({ place: z.number() }),
})

/** The number of messages that a user’s agents sent on one day, in UTC. */
export const countRows = entity({
  name: 'count of sent messages',
  pk: 'user#{userId}',
  sk: 'bus-count#{date}',
  schema: () => z.object({ count: z.number() }),
})

/** The latest message between two agents of one user in the last 30 days. `first` is the id that sorts first. */
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
