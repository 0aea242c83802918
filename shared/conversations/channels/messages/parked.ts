import * as z from 'zod'
import type { ParkedRequest } from '#shared/permits/approvals/request.ts'
import type { Outgoing } from './outgoing.ts'

const parkedFields = z.object({
  channelId: z.string(),
  /** The hash of the chat's id. */
  chat: z.string(),
  replyTo: z.record(z.string(), z.string()),
  person: z.string(),
  event: z.string().optional(),
})

type ParkedMessage = z.output<typeof parkedFields> & { text: string }

/** Returns a message as it is sent after its approval. */
export function toParkedMessage(message: Outgoing): ParkedRequest {
  const { channel, chat, replyTo, person, event, text } = message
  return {
    json: {
      channelId: channel.id,
      chat: chat.chat,
      replyTo,
      person,
      ...(event !== undefined && { event }),
    },
    body: Buffer.from(text),
  }
}

export function fromParkedMessage({ json, body }: ParkedRequest): ParkedMessage {
  return { ...parkedFields.parse(json), text: Buffer.from(body ?? '').toString() }
}
