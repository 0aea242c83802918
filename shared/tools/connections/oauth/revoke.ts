import type { Context } from '#shared/platform/identity/context.ts'
import { connectionFetch } from '../address.ts'
import type { ConnectionSettings } from '../context.ts'
import type { Connection } from '../find.ts'
import { textOf } from './failure.ts'
import { openTokens } from './tokens.ts'

/** The longest time that a deletion waits for the server, in milliseconds. */
const revokeMs = 5000

/**
 * Revokes a connection's tokens at their server (RFC 7009), if it can. A server that does not answer does not keep a
 * connection from its deletion.
 */
export async function revoke(
  ctx: Pick<Context, 'log'> & ConnectionSettings,
  agentId: string,
  connection: Connection,
): Promise<void> {
  const { name, server } = connection
  if (server?.revocationEndpoint === undefined) return
  try {
    const tokens = await openTokens(ctx, agentId, connection)
    if (tokens === undefined) return
    const [{ tokenRevocation }, { configurationOf }] = await Promise.all([
      import('openid-client'),
      import('./configuration.ts'),
    ])
    const fetch = connectionFetch(ctx, AbortSignal.timeout(revokeMs))
    const configuration = await configurationOf(ctx, { agentId, name, server }, fetch)
    const { accessToken, refreshToken } = tokens
    if (refreshToken !== undefined)
      await tokenRevocation(configuration, refreshToken, { token_type_hint: 'refresh_token' })
    await tokenRevocation(configuration, accessToken, { token_type_hint: 'access_token' })
  } catch (error) {
    ctx.log.warn('tokens of a connection were not revoked', {
      agentId,
      name,
      reason: textOf(error),
    })
  }
}
