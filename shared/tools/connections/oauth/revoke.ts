import type { Context } from '#shared/platform/identity/context.ts'
import type { ConnectionSettings } from '../context.ts'
import type { Connection } from '../find.ts'
import { textOf } from './failure.ts'
import { openTokens } from './tokens.ts'

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
    const { revokeAtServer } = await import('./revoke-at-server.ts')
    await revokeAtServer(ctx, { agentId, name, server, tokens })
  } catch (error) {
    ctx.log.warn('tokens of a connection were not revoked', {
      agentId,
      name,
      reason: textOf(error),
    })
  }
}
