import * as z from 'zod'
import { PlatformError } from '#shared/platform/errors.ts'
import { HttpFailure } from '#shared/platform/http-client/failure.ts'
import type { AdapterContext, OpenChannel, Stored } from '../adapter.ts'
import { callTelegram, type TelegramCall } from './api.ts'
import { botOf } from './fields.ts'
import { webhookSecret } from './verify.ts'

const bot = z.object({ username: z.string() })

const registered = z.object({ url: z.string() })

/** The updates that the platform reads. */
export const updates = ['message']

/**
 * Checks the bot's token, and registers the address that receives its updates. Without an address it removes the
 * registration, because Telegram sends updates either to an address or to polls.
 * @throws PlatformError 400 if Telegram does not accept the token or the address, 502 if it does not answer
 */
export async function setUp(
  ctx: AdapterContext,
  channel: OpenChannel,
  receiveUrl: string | undefined,
): Promise<Stored> {
  const { token } = botOf(channel)
  const found = bot.safeParse(await result(ctx, { token, method: 'getMe' }))
  if (!found.success) throw new PlatformError('bad-gateway', 'Telegram’s answer cannot be read')
  if (receiveUrl === undefined) await result(ctx, { token, method: 'deleteWebhook' })
  else
    await result(ctx, {
      token,
      method: 'setWebhook',
      fields: {
        url: receiveUrl,
        secret_token: await webhookSecret(channel),
        allowed_updates: updates,
      },
    })
  return { settings: { username: found.data.username } }
}

/** Removes the registration of the channel's address, unless another channel has registered the bot since then. */
export async function tearDown(ctx: AdapterContext, channel: OpenChannel): Promise<void> {
  const { token } = botOf(channel)
  const found = registered.safeParse(await result(ctx, { token, method: 'getWebhookInfo' }))
  if (found.data?.url.endsWith(`/${channel.id}`))
    await result(ctx, { token, method: 'deleteWebhook' })
}

async function result(ctx: AdapterContext, call: TelegramCall): Promise<unknown> {
  const answer = await callTelegram(ctx, call).catch((error: unknown) => {
    if (!(error instanceof HttpFailure)) throw error
    throw new PlatformError('bad-gateway', 'Telegram cannot be reached', { cause: error })
  })
  if (answer.ok) return answer.result
  const { status, description } = answer
  // Telegram responds with 404 to a malformed token.
  if (status === 401 || status === 404)
    throw new PlatformError('bad-request', 'Telegram does not accept this token')
  if (status === 429 || status >= 500)
    throw new PlatformError('bad-gateway', `Telegram failed: ${description}`)
  throw new PlatformError('bad-request', `Telegram refused: ${description}`)
}
