import * as z from 'zod'
import type { Agent } from '../record.ts'

/** The fields that decide whether an agent's channel for Telegram is due. */
export const channelFields = () => ({
  config: z.looseObject({}).optional(),
  secrets: z.object({ telegramToken: z.string().optional() }).optional(),
  channelToken: z.string().optional(),
})

/** The same fields for a query's projection. */
export const channelPaths: readonly string[] = [
  'config.telegramToken',
  'secrets.telegramToken',
  'channelToken',
]

type HasToken = Pick<z.output<z.ZodObject<ReturnType<typeof channelFields>>>, 'secrets'>

/** Returns the end of an agent's encrypted token for Telegram, which differs for each encryption. */
export function channelTokenOf({ secrets }: HasToken): string | undefined {
  return secrets?.telegramToken?.slice(-24)
}

/**
 * Returns whether an agent's channel for Telegram does not have the token of its config yet. Rows of an earlier release
 * contain the token unencrypted in `config`.
 */
export function isChannelDue({
  config,
  secrets,
  channelToken,
  userId,
  deleting,
}: z.output<z.ZodObject<ReturnType<typeof channelFields>>> &
  Pick<Agent, 'userId' | 'deleting'>): boolean {
  if (userId === null || deleting) return false
  return (
    typeof config?.['telegramToken'] === 'string' || channelTokenOf({ secrets }) !== channelToken
  )
}
