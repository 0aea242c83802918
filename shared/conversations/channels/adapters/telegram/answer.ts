import * as z from 'zod'
import type { AdapterContext, OpenChannel, Outcome, Part } from '../adapter.ts'
import { telegramPhotoBytes } from '../limits.ts'
import { lostOutcome } from '../service-call.ts'
import { callTelegram, type TelegramCall } from './api.ts'
import { botOf } from './fields.ts'

/** The place of an answer. In a group, `message` is the message that it answers. */
type ReplyTo = Readonly<Record<string, string>>

/** The images that Telegram shows as photos. */
const photoTypes = new Set(['image/jpeg', 'image/png', 'image/webp'])

const message = z.object({ message_id: z.number() })

/** Sends a part of an answer as a message, a photo or a document. */
export async function send(
  ctx: AdapterContext,
  channel: OpenChannel,
  { replyTo, part }: { replyTo: ReplyTo; part: Part },
): Promise<Outcome> {
  const { token } = botOf(channel)
  const fields = placeOf(replyTo)
  if ('text' in part) {
    // A preview would request an address of the agent's choice.
    const text = { text: part.text, link_preview_options: { is_disabled: true } }
    return sendCall(ctx, { token, method: 'sendMessage', fields: { ...fields, ...text } })
  }
  const { file } = part
  const isPhoto = photoTypes.has(file.mime) && file.body.length <= telegramPhotoBytes
  const asPhoto = isPhoto
    ? await sendCall(ctx, { token, method: 'sendPhoto', fields, file: { ...file, field: 'photo' } })
    : undefined
  // Telegram refuses photos with too many pixels or an extreme shape; as documents it takes them.
  if (asPhoto !== undefined && asPhoto.state !== 'failed') return asPhoto
  return sendCall(ctx, {
    token,
    method: 'sendDocument',
    fields,
    file: { ...file, field: 'document' },
  })
}

/** Shows in the chat that the bot is typing, for five seconds. */
export async function typing(
  ctx: AdapterContext,
  channel: OpenChannel,
  replyTo: ReplyTo,
): Promise<void> {
  const { message_thread_id, chat_id } = placeOf(replyTo)
  const fields = { chat_id, message_thread_id, action: 'typing' }
  await callTelegram(ctx, {
    token: botOf(channel).token,
    method: 'sendChatAction',
    fields,
    totalMs: 5000,
  })
}

function placeOf({ chat, thread, message: repliedTo }: ReplyTo) {
  return {
    chat_id: chat,
    ...(thread !== undefined && { message_thread_id: Number(thread) }),
    ...(repliedTo !== undefined && {
      reply_parameters: { message_id: Number(repliedTo), allow_sending_without_reply: true },
    }),
  }
}

async function sendCall(ctx: AdapterContext, call: TelegramCall): Promise<Outcome> {
  try {
    const answer = await callTelegram(ctx, { ...call, totalMs: 60_000 })
    if (answer.ok) {
      const id = message.safeParse(answer.result).data?.message_id
      return { state: 'sent', serviceId: id === undefined ? undefined : `${id}` }
    }
    const { status, description: reason, retryAfter, movedTo } = answer
    if (movedTo !== undefined && movedTo !== call.fields?.chat_id)
      return await sendCall(ctx, { ...call, fields: { ...call.fields, chat_id: movedTo } })
    if (status === 429) return { state: 'retry', afterSeconds: retryAfter, reason }
    return { state: status >= 500 ? 'retry' : 'failed', reason }
  } catch (error) {
    const lost = lostOutcome(error)
    return { ...lost, reason: `Telegram: ${lost.reason}` }
  }
}
