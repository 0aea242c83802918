import type { Revokes } from '../context.ts'
import type { Connection } from '../find.ts'
import { connectionRevocationRows } from '../rows.ts'
import { type Revocation, revocationOf, revocationPut } from './revocation.ts'

/** The most attempts of the schedule. Their delays double from one minute, so the last attempt is after 17 hours. */
const maxAttempts = 11

/**
 * Revokes a connection's tokens at their server. If the server does not answer, or this process dies, the schedule tries
 * again.
 */
export async function revoke(
  ctx: Revokes,
  agentId: string,
  connection: Pick<Connection, 'name' | 'server' | 'tokens'>,
): Promise<void> {
  const revocation = await revocationOf(agentId, connection)
  if (revocation === undefined) return
  await ctx.table.put(revocationPut(revocation))
  await tryRevocation(ctx, revocation)
}

/** Tries to revoke tokens, and deletes the row after the last attempt. Never throws for a server that fails. */
export async function tryRevocation(ctx: Revokes, revocation: Revocation): Promise<void> {
  const { id, agentId, name, attempts } = revocation
  const { revokeAtServer } = await import('./revoke-at-server.ts')
  const outcome = await revokeAtServer(ctx, revocation)
  if (!outcome.isDone) {
    const isLast = outcome.isFinal || attempts >= maxAttempts
    const { reason } = outcome
    ctx.log.warn('tokens of a connection were not revoked', { agentId, name, reason, isLast })
    if (!isLast) return
  }
  await ctx.table.delete(connectionRevocationRows.key({ id }))
}
