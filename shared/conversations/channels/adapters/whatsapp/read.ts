import type { ChannelEvent, Inbound, OpenChannel } from '../adapter.ts'
import { type Change, changesOf, mediaKinds, type Message } from './payload.ts'

/** The extensions of files that WhatsApp sends without a name, by media type. */
const endings: Record<string, string> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'video/mp4': 'mp4',
  'video/3gpp': '3gp',
  'audio/ogg': 'ogg',
  'audio/aac': 'aac',
  'audio/amr': 'amr',
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
}

/** Returns the messages of a notification. Ignores reactions, statuses and messages of unknown types. */
export function read(channel: OpenChannel, inbound: Inbound): ChannelEvent[] {
  return changesOf(channel, inbound).flatMap(({ messages, contacts }) =>
    messages.flatMap((message) => eventOf(message, contacts)),
  )
}

function eventOf(message: Message, contacts: Change['contacts']): ChannelEvent[] {
  // A person with a username may hide the phone number; then only the business-scoped id is sent.
  const sender = message.from ?? message.from_user_id
  const files = filesOf(message)
  const text = textOf(message)
  if (sender === undefined || (text === '' && files.length === 0)) return []
  const contact = contacts.find(({ wa_id, user_id }) => sender === wa_id || sender === user_id)
  const { group_id: group, from } = message
  return [
    {
      id: message.id,
      chat: group ?? sender,
      sender: { id: sender, name: contact?.profile?.name ?? sender, bot: false },
      text,
      files,
      replyTo: { message: message.id, ...recipient({ group, from, sender }) },
      at: Number(message.timestamp) * 1000,
      codes: true,
    },
  ]
}

/** Returns how a reply names its recipient: a group, a phone number, or a business-scoped id. */
function recipient({
  group,
  from,
  sender,
}: {
  group: string | undefined
  from: string | undefined
  sender: string
}): Record<string, string> {
  if (group !== undefined) return { group }
  return from === undefined ? { user: sender } : { to: from }
}

function textOf({ text, button, interactive, location, ...message }: Message): string {
  const caption = mediaKinds.flatMap((kind) => message[kind]?.caption ?? [])[0]
  const reply = interactive?.button_reply?.title ?? interactive?.list_reply?.title
  return text?.body ?? caption ?? button?.text ?? reply ?? placeOf(location)
}

function placeOf(location: Message['location']): string {
  if (location === undefined) return ''
  const { latitude, longitude, name, address } = location
  return [name, address, `${latitude}, ${longitude}`].filter(Boolean).join('\n')
}

function filesOf(message: Message): ChannelEvent['files'] {
  return mediaKinds.flatMap((kind) => {
    const file = message[kind]
    if (file === undefined) return []
    const mime = file.mime_type?.split(';')[0]?.trim() ?? 'application/octet-stream'
    const name = file.filename ?? `${kind}-${message.timestamp}.${endings[mime] ?? 'bin'}`
    return [{ id: file.id, name, mime }]
  })
}
