/** A chat service that an agent uses with a token of its config. */
interface Channel {
  title: string
  /** The field of the config. */
  token: string
  /** The variable of the container with the token; undefined if the platform itself holds the channel. */
  variable: string | undefined
}

/**
 * The chat services that agents use with tokens of their configs. The platform itself has the channel for Telegram. The
 * programs of the platform's image sign in to no other service: OpenClaw needs its package `@openclaw/discord` for
 * Discord, which the image does not contain.
 */
export const channels = {
  telegram: { title: 'Telegram', token: 'telegramToken', variable: undefined },
  discord: { title: 'Discord', token: 'discordBotToken', variable: 'DISCORD_BOT_TOKEN' },
  whatsapp: { title: 'WhatsApp', token: 'whatsappToken', variable: 'WHATSAPP_TOKEN' },
} as const satisfies Record<string, Channel>

type ChannelName = keyof typeof channels

export const channelNames = Object.keys(channels) as ChannelName[]
