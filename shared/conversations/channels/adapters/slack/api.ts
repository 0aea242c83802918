import * as z from 'zod'
import { once } from '#shared/platform/once.ts'
import type { AdapterContext, OpenChannel } from '../adapter.ts'
import { callService, type Refusal, retryAfter, type ServiceAnswer } from '../service-call.ts'

const answered = once(() => z.looseObject({ ok: z.boolean(), error: z.string().optional() }))

export interface SlackAnswer extends ServiceAnswer {
  /** Undefined if the response is not in the form of the Web API. */
  body: z.infer<ReturnType<typeof answered>> | undefined
}

/**
 * Calls a method of the Web API. All methods accept forms; some do not accept JSON.
 * @throws HttpFailure without a whole response
 */
export async function callSlack(
  ctx: AdapterContext,
  { secrets }: Pick<OpenChannel, 'secrets'>,
  method: string,
  fields: Record<string, string> = {},
): Promise<SlackAnswer> {
  const answer = await callService(ctx, {
    url: `${ctx.config.SLACK_API_URL}/${method}`,
    method: 'POST',
    token: secrets['botToken'],
    type: 'application/x-www-form-urlencoded',
    body: Buffer.from(new URLSearchParams(fields).toString()),
  })
  return { ...answer, body: answered().safeParse(answer.json).data }
}

/** Errors of Slack itself, after which a call can succeed later: docs.slack.dev, the errors that all methods share. */
const transient = new Set([
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
])

const limited = new Set(['ratelimited', 'rate_limited', 'message_limit_exceeded'])

/** Explanations of frequent errors, with the remedy. */
const advice: Record<string, string> = {
  not_in_channel: 'the app is not in the channel: invite it',
  channel_not_found: 'the channel does not exist, or the app is not in it',
  is_archived: 'the channel is archived',
  missing_scope: 'the app lacks a scope: add it and install the app again',
  token_revoked: 'the bot token was revoked: set a new one',
  token_expired: 'the bot token has expired: set a new one',
  invalid_auth: 'the bot token is not valid: set a new one',
  account_inactive:
    'the app was removed from the workspace: install it again and set the new token',
}

/** Returns why a call failed, and whether it can be repeated; undefined if it succeeded. */
export function refusalOf({ status, body, headers }: SlackAnswer): Refusal | undefined {
  if (body?.ok === true) return undefined
  const error = body?.error ?? `status ${status}`
  const reason = `Slack: ${error}${error in advice ? ` (${advice[error]})` : ''}`
  if (status === 429 || limited.has(error)) {
    const afterSeconds = retryAfter({ headers })
    return { state: 'retry', reason, ...(afterSeconds !== undefined && { afterSeconds }) }
  }
  if (status >= 500 || transient.has(error)) return { state: 'retry', reason }
  return { state: 'failed', reason }
}
