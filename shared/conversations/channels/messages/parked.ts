import * as z from 'zod'
import type { ParkedRequest } from '#shared/permits/approvals/request.ts'
import { once } from '#shared/platform/once.ts'
import { outgoingFile } from './outgoing-file.ts'
import type { Outgoing } from './outgoing.ts'

const parkedFields = once(() =>
  z.object({
    channelId: z.string(),
    /** The hash of the chat's id. */
    chat: z.string(),
    replyTo: z.record(z.string(), z.string()),
    person: z.string(),
    event: z.string().optional(),
    file: outgoingFile().optional(),
  }),
)

type ParkedMessage = z.output<ReturnType<typeof parkedFields>> & { text: string }

/** Returns a message as it is sent after its approval. */
export function toParkedMessage(message: Outgoing): ParkedRequest {
  const { channel, chat, replyTo, person, event, text, file } = message
  return {
    json: {
      channelId: channel.id,
      chat: chat.chat,
      replyTo,
      person,
      ...(event !== undefined && { event }),
      ...(file !== undefined && { file }),
    },
    body: Buffer.from(text),
  }
}

/** Returns the message of a parked request. */
export function fromParkedMessage({ json, body }: ParkedRequest): ParkedMessage {
  return { ...parkedFields().parse(json), text: Buffer.from(body ?? '').toString() }
}
