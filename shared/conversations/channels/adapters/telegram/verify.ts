import { equalInConstantTime, hmacSha256, toBase64Url } from '#shared/platform/crypto.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { AdapterContext, Inbound, OpenChannel } from '../adapter.ts'
import { botOf } from './fields.ts'

/**
 * Returns the secret that Telegram sends with each update: setWebhook, `secret_token`. It is derived from the bot's
 * token, so a new token also changes it.
 */
export async function webhookSecret(channel: OpenChannel): Promise<string> {
  return toBase64Url(await hmacSha256(botOf(channel).token, `webhook of ${channel.id}`))
}

/** @throws PlatformError 401 if the request is not from Telegram */
export async function verify(
  _: AdapterContext,
  channel: OpenChannel,
  { headers }: Inbound,
): Promise<void> {
  const given = headers.get('x-telegram-bot-api-secret-token') ?? ''
  if (!(await equalInConstantTime(given, await webhookSecret(channel))))
    throw new PlatformError('unauthorized', 'The secret token is wrong')
}
