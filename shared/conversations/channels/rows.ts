import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'
import { dueIndex } from '#shared/platform/work/due-index.ts'
import { kinds } from './adapters/kinds.ts'
import { outgoingFile } from './messages/outgoing-file.ts'

const values = z.record(z.string(), z.string())

/** A channel of an agent, with its encrypted secrets. */
export const channelRows = entity({
  name: 'channel',
  id: 'chn',
  pk: 'user#{userId}',
  sk: 'channel#{agentId}#{channelId}',
  schema: () =>
    z.object({
      id: z.string(),
      userId: z.string(),
      agentId: z.string(),
      kind: z.enum(kinds),
      settings: values,
      /** The secrets as JSON, sealed for this row. */
      sealed: z.string(),
      /** ISO 8601. */
      createdAt: z.string(),
      revision: z.number(),
    }),
})

/** The owner and the agent of a channel, which its service calls by the channel’s id. */
export const channelLocatorRows = entity({
  name: 'channel locator',
  pk: 'channel#{channelId}',
  sk: 'channel',
  schema: () => z.object({ userId: z.string(), agentId: z.string() }),
})

/** A deleted channel, until its registration at its service is removed. */
export const channelTearDownRows = entity({
  name: 'channel tear-down',
  pk: 'channel-tear-downs',
  sk: 'channel-tear-down#{channelId}',
  schema: channelRows.declared.schema,
})

/** A channel whose service is polled for messages, because no public address receives them. */
export const channelPollRows = entity({
  name: 'polled channel',
  pk: 'channel-polls',
  sk: 'channel-poll#{channelId}',
  schema: () =>
    z.object({
      userId: z.string(),
      agentId: z.string(),
      channelId: z.string(),
      /** The place after the last messages; empty before the first. */
      cursor: z.string(),
    }),
})

/** The number of channels of an agent. */
export const channelCountRows = entity({
  name: 'channel count',
  pk: 'user#{userId}',
  sk: 'channel-count#{agentId}',
  schema: () => z.object({ count: z.number() }),
})

/** The index of chats with events that were not carried out. */
export const channelChatsDue = dueIndex('channel-chats', 16)

/** The index of chats with messages that were not sent. */
export const channelOutboxesDue = dueIndex('channel-outboxes', 16)

/** An event that a channel received in the last 30 days, so that a repetition has no effect. */
export const channelEventRows = entity({
  name: 'received channel event',
  pk: 'user#{userId}',
  sk: 'channel-event#{agentId}#{channelId}#{event}',
  schema: () => z.object({}),
})

/** An event that was not carried out, in the order of its chat. */
export const channelWaitingRows = entity({
  name: 'waiting channel event',
  pk: 'user#{userId}',
  sk: 'channel-waiting#{agentId}#{channelId}#{chat}#{order}',
  schema: () =>
    z.object({
      order: z.string(),
      /** The seed of its turn, a ULID. */
      seed: z.string(),
      /** Epoch milliseconds. */
      receivedAt: z.number(),
      sender: z.object({ id: z.string(), name: z.string(), bot: z.boolean() }),
      text: z.string(),
      files: z.array(waitingFile()),
      /** The requests to download its files, and the time when the last one is treated as lost, in epoch milliseconds. */
      downloads: z.object({ count: z.number(), until: z.number() }).optional(),
      replyTo: values,
      codes: z.boolean(),
    }),
})

/** A file of an event. It is finished with a path, or with the reason why the agent does not get it. */
function waitingFile() {
  return z.object({
    id: z.string(),
    name: z.string(),
    mime: z.string(),
    /** The size that the service declares. */
    bytes: z.number().optional(),
    /** The id of the pack for its content. */
    pack: z.string().optional(),
    /** The size of the stored pack in bytes; absent before. */
    stored: z.number().optional(),
    /** Its path in the agent’s workspace; absent before it is committed. */
    path: z.string().optional(),
    fault: z.string().optional(),
  })
}

/** The attributes of the work of one chat: contract.md 18. */
const chatWork = {
  userId: z.string(),
  agentId: z.string(),
  channelId: z.string(),
  /** The hash of the chat’s id. */
  chat: z.string(),
  /** The holder of the lease. */
  by: z.string().optional(),
  /** Epoch milliseconds. */
  until: z.number().optional(),
  /** The number of rows that were added. Work ends only if it has not changed. */
  added: z.number().default(0),
}

/** A chat of a channel, until 30 days after its last message. It is in the index while events wait. */
export const channelChatRows = entity({
  name: 'channel chat',
  pk: 'user#{userId}',
  sk: 'channel-chat#{agentId}#{channelId}#{chat}',
  gsi1: { pk: 'channel-chats#{shard}', sk: '{at}#{id}' },
  schema: () =>
    z.object({
      ...chatWork,
      /** The service’s id. */
      name: z.string(),
      /** The data that an answer to the last event needs. */
      replyTo: values,
      /** The times of the last turns, in epoch milliseconds. */
      turns: z.array(z.number()).default([]),
      /** The last approved person whose message was carried out. */
      person: z.object({ id: z.string(), name: z.string() }).optional(),
      /** The time when the owner was told about a loop, in epoch milliseconds. */
      toldAt: z.number().optional(),
    }),
})

/** The messages to a chat of a channel, until 30 days after the last one. It is in the index while messages wait. */
export const channelOutboxRows = entity({
  name: 'channel outbox',
  pk: 'user#{userId}',
  sk: 'channel-outbox#{agentId}#{channelId}#{chat}',
  gsi1: { pk: 'channel-outboxes#{shard}', sk: '{at}#{id}' },
  schema: () => z.object(chatWork),
})

/** A part of a message that was not sent. Its order begins with the time when it was stored. */
export const channelPartRows = entity({
  name: 'waiting channel part',
  pk: 'user#{userId}',
  sk: 'channel-part#{agentId}#{channelId}#{chat}#{order}',
  schema: () =>
    z.object({
      order: z.string(),
      /** The id of its delivery. */
      delivery: z.string(),
      text: z.string(),
      replyTo: values,
      file: outgoingFile().optional(),
      /** True from before the first byte of an attempt until its result is known. */
      sending: z.boolean().optional(),
      /** The number of attempts that were started. */
      attempts: z.number(),
      /** Epoch milliseconds. */
      notBefore: z.number().optional(),
    }),
})

/** A part of a message to a chat and its result, for 30 days. */
export const channelDeliveryRows = entity({
  name: 'channel delivery',
  pk: 'user#{userId}',
  sk: 'channel-delivery#{agentId}#{channelId}#{order}',
  schema: () =>
    z.object({
      id: z.string(),
      /** ISO 8601. */
      at: z.string(),
      /** The service’s id of the chat; the address for mails. */
      chat: z.string(),
      /** The beginning of the text. */
      text: z.string(),
      state: z.enum(['waiting', 'sent', 'failed', 'unknown']),
      reason: z.string().nullable(),
      attempts: z.number(),
    }),
})

/** The senders of a channel: approved senders, blocked senders, and pending senders with their codes. */
export const channelSenderRows = entity({
  name: 'channel senders',
  pk: 'user#{userId}',
  sk: 'channel-senders#{agentId}#{channelId}',
  schema: () =>
    z.object({
      senders: z.record(
        z.string(),
        z.object({
          name: z.string(),
          state: z.enum(['pending', 'approved', 'blocked']),
          code: z.string().nullable(),
          /** The time of the code or of the decision, in epoch milliseconds. */
          at: z.number(),
          /** The seed of the event that the code answers. */
          event: z.string().optional(),
        }),
      ),
      revision: z.number(),
    }),
})
