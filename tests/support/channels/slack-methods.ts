/** A workspace with one installed app. */
export interface SlackWorkspace {
  /** The bot's token. */
  token: string
  scopes: string[]
  teamId: string
  botUserId: string
  botId: string
  /** The channels that the bot is a member of; it may write to any direct message. */
  members: Set<string>
}

export interface SlackPost {
  channel: string
  text: string
  ts: string
  thread?: string
  /** The ids of shared files. */
  files?: string[]
  unfurls: boolean
}

/** A method of the Web API. */
export interface SlackMethod {
  scope?: string
  /** True if the method takes no JSON. */
  formOnly?: boolean
  answer(given: Record<string, string>): Record<string, unknown>
}

let serial = 0

/** The methods about messages. */
export function slackMethods(
  { teamId, botUserId, botId, members }: SlackWorkspace,
  posts: SlackPost[],
): Record<string, SlackMethod> {
  return {
    'auth.test': {
      answer: () => ({
        ok: true,
        url: 'https://played.slack.com/',
        team: 'Played',
        user: 'helper',
        team_id: teamId,
        user_id: botUserId,
        bot_id: botId,
        is_enterprise_install: false,
      }),
    },
    'chat.postMessage': {
      scope: 'chat:write',
      answer({ channel = '', text = '', thread_ts: thread, unfurl_links: unfurls }) {
        if (!isOpen(members, channel)) return { ok: false, error: refusal(channel) }
        if (text.trim() === '') return { ok: false, error: 'no_text' }
        if (thread !== undefined && !isTime(thread))
          return { ok: false, error: 'invalid_thread_ts' }
        const ts = newTime()
        const post: SlackPost = {
          channel,
          text: text.slice(0, 40_000),
          ts,
          unfurls: unfurls !== 'false',
        }
        posts.push(thread === undefined ? post : { ...post, thread })
        return { ok: true, channel, ts, message: { type: 'message', bot_id: botId, text, ts } }
      },
    },
    'assistant.threads.setStatus': {
      scope: 'chat:write',
      answer: ({ channel_id: channel = '', thread_ts: thread = '' }) =>
        isOpen(members, channel) && isTime(thread)
          ? { ok: true }
          : { ok: false, error: 'channel_not_found' },
    },
  }
}

/** Returns whether the bot may write to a channel. */
export function isOpen(members: ReadonlySet<string>, channel: string): boolean {
  return channel.startsWith('D') || members.has(channel)
}

export function refusal(channel: string): string {
  return /^C[A-Z0-9]+$/.test(channel) ? 'not_in_channel' : 'channel_not_found'
}

export function isTime(text: string): boolean {
  return /^\d{10}\.\d{6}$/.test(text)
}

export function newTime(): string {
  return `${Math.floor(Date.now() / 1000)}.${String(500_000 + ++serial)}`
}
