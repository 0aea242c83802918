import * as z from 'zod'
import { once } from '#shared/platform/once.ts'
import type { ChannelEvent, Inbound, OpenChannel } from '../adapter.ts'
import { botOf } from './fields.ts'
import { filesOf, sentFile } from './files.ts'

const person = z.object({
  id: z.number(),
  is_bot: z.boolean().catch(false),
  first_name: z.string().catch(''),
  last_name: z.string().optional().catch(undefined),
  username: z.string().optional().catch(undefined),
})

const update = once(() =>
  z.object({
    update_id: z.number(),
    message: z.object({
      message_id: z.number(),
      date: z.number(),
      from: person,
      chat: z.object({ id: z.number(), type: z.string() }),
      message_thread_id: z.number().optional(),
      is_topic_message: z.boolean().optional(),
      reply_to_message: z
        .object({ from: z.object({ id: z.number() }).optional() })
        .optional()
        .catch(undefined),
      text: z.string().optional(),
      caption: z.string().optional(),
      ...sentFile,
    }),
  }),
)

type TelegramUpdate = z.output<ReturnType<typeof update>>

/** Returns the event of a webhook's request. Updates that are no new messages with text or files give none. */
export function read(channel: OpenChannel, { body }: Inbound): ChannelEvent[] {
  let json: unknown
  try {
    json = JSON.parse(Buffer.from(body).toString())
  } catch {
    return []
  }
  return eventsOf(channel, [json])
}

/** Returns the events of updates; other updates than new messages with text or files give none. */
export function eventsOf(channel: OpenChannel, updates: readonly unknown[]): ChannelEvent[] {
  return updates.flatMap((one) => {
    const { data } = update().safeParse(one)
    return data === undefined ? [] : eventOf(channel, data)
  })
}

function eventOf(channel: OpenChannel, { update_id: id, message }: TelegramUpdate): ChannelEvent[] {
  const { chat, from, date } = message
  const text = message.text ?? message.caption ?? ''
  const files = filesOf(message)
  if (text === '' && files.length === 0) return []
  // A reply in a group without topics also has a thread id.
  const thread = message.is_topic_message === true ? message.message_thread_id : undefined
  const isPrivate = chat.type === 'private'
  const event: ChannelEvent = {
    // A bot's updates are numbered; another bot on the same channel can repeat a number.
    id: `${botOf(channel).id}:${id}`,
    chat: thread === undefined ? `${chat.id}` : `${chat.id}:${thread}`,
    sender: { id: `${from.id}`, name: nameOf(from), bot: from.is_bot },
    text,
    files,
    replyTo: {
      chat: `${chat.id}`,
      ...(thread !== undefined && { thread: `${thread}` }),
      ...(!isPrivate && { message: `${message.message_id}` }),
    },
    at: date * 1000,
    codes: !from.is_bot && (isPrivate || isAddressed(channel, message)),
  }
  return [event]
}

/** Returns whether a message of a group is meant for the bot. Others get no code, so a bot does not disturb a group. */
function isAddressed(
  channel: OpenChannel,
  { text, caption, reply_to_message: repliedTo }: TelegramUpdate['message'],
): boolean {
  if (`${repliedTo?.from?.id}` === botOf(channel).id) return true
  const words = (text ?? caption ?? '').toLowerCase()
  const { username } = channel.settings
  return username !== undefined && words.includes(`@${username.toLowerCase()}`)
}

function nameOf({ first_name: first, last_name: last, username }: z.output<typeof person>): string {
  const name = [first, last].filter(Boolean).join(' ')
  return username === undefined ? name : `${name} (@${username})`.trim()
}
