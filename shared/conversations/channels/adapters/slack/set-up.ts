import * as z from 'zod'
import { PlatformError } from '#shared/platform/errors.ts'
import { HttpFailure } from '#shared/platform/http-client/failure.ts'
import type { Adapter } from '../adapter.ts'
import { callSlack } from './api.ts'

/**
 * Checks the bot token, and returns its workspace and its bot. The owner enters the request URL in Slack.
 * @throws PlatformError 400 for a token that Slack refuses, 502 if Slack does not answer
 */
export const setUp: Adapter['setUp'] = async (ctx, channel, receiveUrl) => {
  if (receiveUrl === undefined)
    throw new PlatformError(
      'bad-request',
      'Slack sends events only to a public https address: set WEB_URL to one',
    )
  const answer = await callSlack(ctx, channel, 'auth.test').catch((error: unknown) => {
    if (!(error instanceof HttpFailure)) throw error
    throw new PlatformError('bad-gateway', 'Slack does not answer; try again later')
  })
  if (answer.body === undefined || answer.status !== 200)
    throw new PlatformError('bad-gateway', `Slack answers with status ${answer.status}`)
  if (!answer.body.ok)
    throw new PlatformError('bad-request', `Slack refuses the botToken: ${answer.body.error}`)
  const bot = z
    .object({ team_id: z.string(), team: z.string(), user_id: z.string(), bot_id: z.string() })
    .safeParse(answer.body)
  if (!bot.success)
    throw new PlatformError('bad-request', 'The botToken must be the token of a bot: xoxb-…')
  requireScope(answer.headers['x-oauth-scopes'])
  const { team_id: teamId, team, user_id: botUserId } = bot.data
  return { settings: { teamId, team, botUserId } }
}

/** @param scopes the header of the response that lists them; undefined without the header */
function requireScope(scopes: string | string[] | undefined): void {
  if (scopes === undefined || String(scopes).split(',').includes('chat:write')) return
  throw new PlatformError(
    'bad-request',
    'The app lacks the scope chat:write: add it under "OAuth & Permissions", install the app again, and use the new token',
  )
}
