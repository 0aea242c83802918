import * as z from 'zod'
import { once } from '#shared/platform/once.ts'
import type { ChannelEvent, Inbound, OpenChannel } from '../adapter.ts'
import { jsonBody } from '../json-body.ts'
import { plainText } from './text.ts'

const callback = once(() =>
  z.object({
    type: z.literal('event_callback'),
    team_id: z.string().optional(),
    authorizations: z.array(z.object({ team_id: z.string().nullish() })).optional(),
    event: z.object({
      type: z.enum(['message', 'app_mention']),
      subtype: z.enum(['file_share', 'thread_broadcast', 'me_message']).optional(),
      channel: z.string().regex(/^[CDG][A-Z0-9]{2,30}$/),
      channel_type: z.string().optional(),
      user: z.string().regex(/^[UW][A-Z0-9]{2,30}$/),
      bot_id: z.string().nullish(),
      text: z.string().optional(),
      ts: timestamp(),
      thread_ts: timestamp().optional(),
      parent_user_id: z.string().optional(),
      files: z.array(z.unknown()).optional(),
    }),
  }),
)

type Callback = z.infer<ReturnType<typeof callback>>

const attached = once(() =>
  z.object({
    id: z.string().regex(/^F[A-Z0-9]{2,30}$/),
    name: z.string().nullish(),
    mimetype: z.string().nullish(),
    size: z.number().int().nonnegative().optional(),
    mode: z.string().optional(),
  }),
)

/** Files without bytes at Slack: deleted, beyond the workspace's limit, or stored at another service. */
const elsewhere = new Set(['tombstone', 'hidden_by_limit', 'external'])

/** The user id of Slack's own bot. */
const slackbot = 'USLACKBOT'

function timestamp() {
  return z.string().regex(/^\d{1,12}\.\d{1,6}$/)
}

/**
 * Returns the message of an event if it is for the bot: a direct message, a mention, or a reply in a thread. A reply
 * counts only if the bot takes part in the thread. Messages of bots, edits and deletions are ignored.
 */
export function read(channel: OpenChannel, { body }: Inbound): ChannelEvent[] {
  const parsed = callback().safeParse(jsonBody(body))
  if (!parsed.success || !isOurs(parsed.data, channel)) return []
  const { event } = parsed.data
  const { botUserId } = channel.settings
  const isBot = Boolean(event.bot_id) || event.user === botUserId || event.user === slackbot
  const direct = event.channel_type === 'im' || event.channel.startsWith('D')
  const mentioned =
    event.type === 'app_mention' || (event.text ?? '').includes(`<@${botUserId ?? ''}>`)
  const thread = event.thread_ts ?? (direct ? undefined : event.ts)
  const inThread = event.thread_ts !== undefined
  if (isBot || !(direct || mentioned || inThread)) return []
  const addressed = direct || mentioned || event.parent_user_id === botUserId
  return [
    {
      id: `${event.channel}:${event.ts}`,
      chat: thread === undefined ? event.channel : `${event.channel}:${thread}`,
      sender: { id: event.user, name: event.user, bot: false },
      text: plainText(event.text ?? '', botUserId),
      files: filesOf(event.files ?? []),
      replyTo: {
        channel: event.channel,
        ts: event.ts,
        ...(thread !== undefined && { thread }),
      },
      at: Math.floor(Number(event.ts) * 1000),
      codes: addressed,
      ...(!addressed && { onlyIfChat: true }),
    },
  ]
}

/** Returns whether an event is of the channel's workspace: all workspaces of an app share its signing secret. */
function isOurs({ team_id: team, authorizations = [] }: Callback, { settings }: OpenChannel) {
  return [team, ...authorizations.map(({ team_id: id }) => id)].includes(settings.teamId)
}

function filesOf(files: readonly unknown[]): ChannelEvent['files'] {
  return files.flatMap((file) => {
    const { data } = attached().safeParse(file)
    if (data === undefined || elsewhere.has(data.mode ?? '')) return []
    const { id, name, mimetype, size } = data
    return [
      {
        id,
        name: name ?? id,
        mime: mimetype ?? 'application/octet-stream',
        ...(size !== undefined && { bytes: size }),
      },
    ]
  })
}
