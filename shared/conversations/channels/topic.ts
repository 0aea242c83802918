import * as z from 'zod'
import { type MessageOf, topic } from '#shared/platform/queues/topic.ts'

/** `chat` is the hash of the chat's id. Messages contain ids only: the rows have the contents. */
const chatRef = {
  userId: z.string(),
  agentId: z.string(),
  channelId: z.string(),
  chat: z.string(),
}

/** Requests that the waiting events of a chat are carried out. */
export const channelTurns = topic('channel-turns', () => z.object(chatRef))

/**
 * Requests that the waiting messages to a chat are sent, that the chat shows the work on an event (`typing`), or that the
 * next file of an event is downloaded (`download`).
 */
export const channelDeliveries = topic('channel-deliveries', () =>
  z.object({
    ...chatRef,
    typing: z.object({ order: z.string(), times: z.int() }).optional(),
    download: z.object({ order: z.string() }).optional(),
  }),
)

export type ChatRef = MessageOf<typeof channelTurns>

export type TypingMessage = ChatRef & {
  typing: NonNullable<MessageOf<typeof channelDeliveries>['typing']>
}

export type DownloadMessage = ChatRef & {
  download: NonNullable<MessageOf<typeof channelDeliveries>['download']>
}
