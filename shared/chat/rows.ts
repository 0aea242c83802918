import * as z from 'zod'
import { entity } from '../platform/table/entity.ts'
import { chatMessage, chatTopic } from './schema.ts'

/** One end of a turn between a user and an agent; its ULID is its place among the others, and its time. */
export const messageRows = entity({
  name: 'message',
  id: 'msg',
  pk: 'user#{userId}',
  sk: 'message#{agentId}#{seed}',
  schema: () =>
    chatMessage.extend({
      topic: z.string().optional(),
      /** The reply broke off, or was longer than a row holds. */
      truncated: z.literal(true).optional(),
      /** Of a question: when its turn failed before a word of an answer was said. */
      failedAt: z.iso.datetime().optional(),
      /** The start of the agent whose container took part in the turn. */
      generation: z.number().optional(),
    }),
})

/** How many messages a user and one agent exchanged on one day, in UTC; it outlives its agent. */
export const messageCountRows = entity({
  name: 'count of messages',
  pk: 'user#{userId}',
  sk: 'messages#{date}#{agentId}',
  schema: () =>
    z.object({
      date: z.string(),
      agentId: z.string(),
      /** What the user sent. */
      asked: z.number(),
      /** What the agent sent. */
      replied: z.number(),
    }),
})

/** What a user’s messages with one agent came to up to a day that is over. */
export const messageTotalRows = entity({
  name: 'count of all messages',
  pk: 'user#{userId}',
  sk: 'message-total#{agentId}',
  schema: () =>
    z.object({
      /** The last day that is in it; empty for none. */
      through: z.string().default(''),
      asked: z.number().default(0),
      replied: z.number().default(0),
      /** How often days that were over got other counts. */
      recounts: z.number().default(0),
    }),
})

/** A conversation of a user with one agent, by its name as in an address, with how many messages it has. */
export const topicRows = entity({
  name: 'conversation',
  pk: 'user#{userId}',
  sk: 'chat-topic#{agentId}#{topic}',
  schema: () => chatTopic,
})
