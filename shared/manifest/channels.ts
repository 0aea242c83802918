/** The programs that run agents: agent/README.md. */
type Program = 'embedded' | 'openclaw'

/** A chat service that an agent signs in to with a token of its config. */
interface Channel {
  title: string
  /** The field of the config. */
  token: string
  /** The variable of the container with the token. */
  variable: string
  /** The programs of the platform that sign in to it. */
  servedBy: readonly Program[]
}

/**
 * The chat services of agents, and the programs that serve them. No program signs in to WhatsApp, and OpenClaw needs
 * its package `@openclaw/discord` for Discord, which the platform's image does not contain.
 */
export const channels = {
  telegram: {
    title: 'Telegram',
    token: 'telegramToken',
    variable: 'TELEGRAM_TOKEN',
    servedBy: ['openclaw'],
  },
  discord: {
    title: 'Discord',
    token: 'discordBotToken',
    variable: 'DISCORD_BOT_TOKEN',
    servedBy: [],
  },
  whatsapp: {
    title: 'WhatsApp',
    token: 'whatsappToken',
    variable: 'WHATSAPP_TOKEN',
    servedBy: [],
  },
} as const satisfies Record<string, Channel>

export type ChannelName = keyof typeof channels

export const channelNames = Object.keys(channels) as ChannelName[]

/** Returns the chat services that a program signs in to. */
export function channelsOf(program: Program): ChannelName[] {
  return channelNames.filter((name) => channels[name].servedBy.some((one) => one === program))
}
