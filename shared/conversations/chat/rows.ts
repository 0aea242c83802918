import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'
import { chatMessage, chatTopic } from './schema.ts'

/** A question or an answer between a user and an agent. Its ULID is its position and its time. */
export const messageRows = entity({
  name: 'message',
  id: 'msg',
  pk: 'user#{userId}',
  sk: 'message#{agentId}#{seed}',
  schema: () =>
    chatMessage().extend({
      topic: z.string().optional(),
      /** True if the reply was interrupted, or was longer than a row. */
      truncated: z.literal(true).optional(),
      /** Set on a question whose turn failed before its first part. */
      failedAt: z.iso.datetime().optional(),
      /** The agent's generation in the turn. */
      generation: z.number().optional(),
    }),
})

/** The number of messages that a user and an agent exchanged on one day, in UTC. The row outlives its agent. */
export const messageCountRows = entity({
  name: 'count of messages',
  pk: 'user#{userId}',
  sk: 'messages#{date}#{agentId}',
  schema: () =>
    z.object({
      date: z.string(),
      agentId: z.string(),
      /** The number of messages by the user. */
      asked: z.number(),
      /** The number of messages by the agent. */
      replied: z.number(),
    }),
})

/** The total of a user’s messages with one agent up to a past day. */
export const messageTotalRows = entity({
  name: 'count of all messages',
  pk: 'user#{userId}',
  sk: 'message-total#{agentId}',
  schema: () =>
    z.object({
      /** The last included day; empty for none. */
      through: z.string().default(''),
      asked: z.number().default(0),
      replied: z.number().default(0),
      /** Increases when the counts of past days change. */
      recounts: z.number().default(0),
    }),
})

/** A conversation of a user with one agent, with its number of messages. Its name is URL-encoded in the key. */
export const topicRows = entity({
  name: 'conversation',
  pk: 'user#{userId}',
  sk: 'chat-topic#{agentId}#{topic}',
  schema: chatTopic,
})
