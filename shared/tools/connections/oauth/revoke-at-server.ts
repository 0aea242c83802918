import { tokenRevocation } from 'openid-client'
import { connectionFetch } from '../address.ts'
import type { ConnectionSettings } from '../context.ts'
import type { SignInServer } from '../rows.ts'
import { configurationOf } from './configuration.ts'
import type { Tokens } from './tokens.ts'

interface Revoked {
  agentId: string
  /** The connection's name. */
  name: string
  server: SignInServer
  tokens: Tokens
}

/** The longest time that a deletion waits for the server, in milliseconds. */
const revokeMs = 5000

/** Revokes tokens at the server's endpoint (RFC 7009). */
export async function revokeAtServer(
  ctx: ConnectionSettings,
  { agentId, name, server, tokens: { accessToken, refreshToken } }: Revoked,
): Promise<void> {
  const fetch = connectionFetch(ctx, AbortSignal.timeout(revokeMs))
  const configuration = await configurationOf(ctx, { agentId, name, server }, fetch)
  if (refreshToken !== undefined)
    await tokenRevocation(configuration, refreshToken, { token_type_hint: 'refresh_token' })
  await tokenRevocation(configuration, accessToken, { token_type_hint: 'access_token' })
}
