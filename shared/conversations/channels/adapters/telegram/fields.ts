import * as z from 'zod'
import type { OpenChannel } from '../adapter.ts'

/** A bot's token as BotFather shows it: the bot's id and a secret. */
const token = z
  .string({ error: 'token required' })
  .regex(/^\d{1,20}:[\w-]{20,200}$/, 'token must be the token of a bot, as BotFather shows it')

export const newTelegramChannel = z
  .object({ kind: z.literal('telegram'), token })
  .meta({ id: 'NewTelegramChannel' })

export const telegramChange = z
  .object({ token: token.optional() })
  .meta({ id: 'TelegramChannelChange' })

/** Returns the bot's token and the bot's id, the beginning of the token. */
export function botOf({ secrets }: OpenChannel): { token: string; id: string } {
  const { token: text = '' } = secrets
  return { token: text, id: text.split(':')[0] ?? '' }
}
