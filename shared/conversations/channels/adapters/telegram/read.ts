import * as z from 'zod'
import { once } from '#shared/platform/once.ts'
import type { ChannelEvent, Inbound, OpenChannel } from '../adapter.ts'
import { jsonBody } from '../json-body.ts'
import { botOf } from './fields.ts'
import { filesOf, sentFile } from './files.ts'
import { sentThings, textOfThing } from './things.ts'

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
      sender_chat: z.object({ id: z.number(), title: z.string().catch('') }).optional(),
      chat: z.object({ id: z.number(), type: z.string() }),
      message_thread_id: z.number().optional(),
      is_topic_message: z.boolean().optional(),
      reply_to_message: z
        .object({ from: z.object({ id: z.number() }).optional() })
        .optional()
        .catch(undefined),
      text: z.string().optional(),
      caption: z.string().optional(),
      media_group_id: z.string().optional().catch(undefined),
      ...sentFile,
      ...sentThings,
    }),
  }),
)

type TelegramUpdate = z.output<ReturnType<typeof update>>

/** Returns the event in a request of Telegram; none if the update is not a new message with content. */
export function read(channel: OpenChannel, { body }: Inbound): ChannelEvent[] {
  return eventsOf(channel, [jsonBody(body)])
}

/**
 * Returns the events in updates. An update that is not a new message with content is ignored. Telegram sends each image
 * of an album as a message; images that arrive together are one event.
 */
export function eventsOf(channel: OpenChannel, updates: readonly unknown[]): ChannelEvent[] {
  const events: ChannelEvent[] = []
  let album: string | undefined
  for (const one of updates) {
    const { data } = update().safeParse(one)
    const [event] = data === undefined ? [] : eventOf(channel, data)
    if (data === undefined || event === undefined) continue
    const group = data.message.media_group_id
    const before = events.at(-1)
    if (before !== undefined && group !== undefined && group === album)
      events.splice(-1, 1, together(before, event))
    else events.push(event)
    album = group
  }
  return events
}

function together(first: ChannelEvent, next: ChannelEvent): ChannelEvent {
  const text = [first.text, next.text].filter(Boolean).join('\n')
  return { ...first, text, files: [...first.files, ...next.files] }
}

function eventOf(channel: OpenChannel, { update_id: id, message }: TelegramUpdate): ChannelEvent[] {
  const { chat, date } = message
  const sender = senderOf(message)
  const text = message.text ?? message.caption ?? textOfThing(message)
  const files = filesOf(message)
  if (text === '' && files.length === 0) return []
  // A reply in a group without topics also has a thread id.
  const thread = message.is_topic_message === true ? message.message_thread_id : undefined
  const isPrivate = chat.type === 'private'
  const event: ChannelEvent = {
    // A bot's updates are numbered; another bot on the same channel can repeat a number.
    id: `${botOf(channel).id}:${id}`,
    chat: thread === undefined ? `${chat.id}` : `${chat.id}:${thread}`,
    sender,
    text,
    files,
    replyTo: {
      chat: `${chat.id}`,
      ...(thread !== undefined && { thread: `${thread}` }),
      ...(!isPrivate && { message: `${message.message_id}` }),
    },
    at: date * 1000,
    codes: !sender.bot && (isPrivate || isAddressed(channel, message)),
  }
  return [event]
}

/**
 * Returns the sender of a message. A chat can be the sender, such as a channel or an anonymous administrator. All such chats
 * have one user in `from`, and an approval of one chat must not include the others: core.telegram.org/bots/api#message,
 * `sender_chat`.
 */
function senderOf({ from, sender_chat: by }: TelegramUpdate['message']): ChannelEvent['sender'] {
  if (by !== undefined) return { id: `${by.id}`, name: by.title, bot: true }
  return { id: `${from.id}`, name: nameOf(from), bot: from.is_bot }
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
