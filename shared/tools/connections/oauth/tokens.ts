import type { TokenEndpointResponse } from 'openid-client'
import * as z from 'zod'
import { once } from '#shared/platform/once.ts'
import { connectionSealer, type ConnectionSettings, secretPlace } from '../context.ts'
import type { Connection } from '../find.ts'
import type { SignInServer } from '../rows.ts'

/** The characters of RFC 6749, in a size that fits into a header and a row. */
const token = () => z.string().regex(/^[\x21-\x7e]{1,8192}$/)

const tokens = once(() => z.object({ accessToken: token(), refreshToken: token().optional() }))

export type Tokens = z.output<ReturnType<typeof tokens>>

/**
 * Returns a connection's tokens.
 * @returns undefined without tokens, and for tokens that can no longer be decrypted
 * @throws PlatformError 503 without an encryption key
 */
export async function openTokens(
  ctx: Pick<ConnectionSettings, 'encryptionKey'>,
  agentId: string,
  { name, tokens: kept }: Pick<Connection, 'name' | 'tokens'>,
): Promise<Tokens | undefined> {
  if (kept === undefined) return undefined
  const text = await connectionSealer(ctx).open(kept.sealed, secretPlace(agentId, name, 'tokens'))
  return text === undefined ? undefined : tokens().parse(JSON.parse(text))
}

/** Returns the secret of the platform as a client; undefined without a secret, and if it cannot be decrypted. */
export async function openClientSecret(
  ctx: Pick<ConnectionSettings, 'encryptionKey'>,
  { agentId, name }: { agentId: string; name: string },
  { sealedSecret }: Pick<SignInServer, 'sealedSecret'>,
): Promise<string | undefined> {
  if (sealedSecret === undefined) return undefined
  return connectionSealer(ctx).open(sealedSecret, secretPlace(agentId, name, 'client'))
}

/**
 * Encrypts the tokens of a token response for the row of their connection. If the server does not rotate its refresh
 * token, the response has none, and the earlier one is kept.
 * @param now epoch milliseconds, from before the request
 * @throws ZodError for tokens of another form
 */
export async function sealTokens(
  ctx: ConnectionSettings,
  { agentId, name }: { agentId: string; name: string },
  given: TokenEndpointResponse,
  { now, before }: { now: number; before?: Tokens | undefined },
): Promise<NonNullable<Connection['tokens']>> {
  const refreshToken = given.refresh_token ?? before?.refreshToken
  const text = JSON.stringify(tokens().parse({ accessToken: given.access_token, refreshToken }))
  const sealed = await connectionSealer(ctx).seal(text, secretPlace(agentId, name, 'tokens'))
  return {
    sealed,
    ...(given.expires_in !== undefined && { refreshAt: now + refreshAfterMs(given.expires_in) }),
  }
}

/** Tokens are refreshed this long before they expire, in milliseconds, because a request takes time. */
const marginMs = 30_000

function refreshAfterMs(expiresIn: number): number {
  const validMs = expiresIn * 1000
  return Math.max(validMs - marginMs, validMs / 2)
}
