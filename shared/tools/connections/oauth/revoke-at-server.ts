import { ResponseBodyError, tokenRevocation, WWWAuthenticateChallengeError } from 'openid-client'
import { PlatformError } from '#shared/platform/errors.ts'
import { connectionFetch } from '../address.ts'
import type { Revokes } from '../context.ts'
import { configurationOf } from './configuration.ts'
import { textOf } from './failure.ts'
import type { Revocation } from './revocation.ts'
import { openTokens } from './tokens.ts'

/** The longest time for one server, in milliseconds. A deletion of a connection waits for it. */
const revokeMs = 5000

/** `isFinal`: a later attempt would have the same result. */
export type Revoked = { isDone: true } | { isDone: false; isFinal: boolean; reason: string }

/** Revokes tokens at the server's endpoint (RFC 7009), the refresh token first. Can be repeated. */
export async function revokeAtServer(
  ctx: Revokes,
  { agentId, name, server, sealed }: Revocation,
): Promise<Revoked> {
  try {
    const tokens = await openTokens(ctx, agentId, { name, tokens: { sealed } })
    if (tokens === undefined)
      return { isDone: false, isFinal: true, reason: 'the tokens can no longer be decrypted' }
    const { accessToken, refreshToken } = tokens
    const fetch = connectionFetch(ctx, AbortSignal.timeout(revokeMs))
    const configuration = await configurationOf(ctx, { agentId, name, server }, fetch)
    if (refreshToken !== undefined)
      await tokenRevocation(configuration, refreshToken, { token_type_hint: 'refresh_token' })
    await tokenRevocation(configuration, accessToken, { token_type_hint: 'access_token' })
    return { isDone: true }
  } catch (error) {
    return { isDone: false, isFinal: isFinal(error), reason: textOf(error) }
  }
}

/** Returns whether the server has refused for good: it does not know the client, or does not revoke such tokens. */
function isFinal(error: unknown): boolean {
  if (error instanceof ResponseBodyError) return error.status < 500 && error.status !== 429
  if (error instanceof PlatformError) return error.kind === 'conflict'
  return error instanceof WWWAuthenticateChallengeError
}
