import { requireAgent } from '#shared/agents/record/find.ts'
import { agentMark } from '#shared/agents/record/mark.ts'
import { notFound } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import { decrement } from '#shared/platform/table/delete-counted.ts'
import { overtaken, retryOptimistically } from '#shared/platform/table/retry-optimistically.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { auditPart } from './audited.ts'
import type { ConnectionSettings } from './context.ts'
import { requireConnection } from './find.ts'
import { revocationOf, revocationPut } from './oauth/revocation.ts'
import { tryRevocation } from './oauth/revoke.ts'
import { connectionCountRows, connectionRows, connectionToolRows } from './rows.ts'

/**
 * Deletes a connection and revokes its tokens at their server. If the server does not answer, the schedule tries again.
 * @throws PlatformError 404
 */
export async function deleteConnection(
  ctx: UserContext & ConnectionSettings,
  { agentId, name }: { agentId: string; name: string },
): Promise<void> {
  const { table, owner } = ctx
  const agent = await requireAgent(ctx, { agentId, owner })
  const key = { userId: owner, agentId, name }
  const { revoked } = await retryOptimistically(async () => {
    const [connection, counter] = await Promise.all([
      requireConnection(table, key, name),
      connectionCountRows.find(table, key, { consistent: true }),
    ])
    const { revision } = connection
    const isLast = counter?.count === 1
    const revocation = await revocationOf(agentId, connection)
    // Tools without a connection are not shown, and the next connection of this name replaces them.
    const refusals = await tryCommit(table, {
      // Tokens that were renewed in the meantime must be revoked too.
      row: { delete: connectionRows.key(key), if: '#revision = :revision', values: { revision } },
      count: {
        ...decrement({ in: connectionCountRows.key(key), attribute: 'count' }),
        if: '#count = :seen',
        values: { seen: counter?.count ?? 0 },
      },
      ...(revocation !== undefined && { revocation: { put: revocationPut(revocation) } }),
      ...(isLast && { agent: agentMark(table, agent, 'hasConnections', false) }),
      audit: await auditPart(ctx, key, { before: connection }),
    })
    if (refusals === undefined) return { revoked: revocation }
    if (refusals.agent !== undefined) throw notFound('Agent')
    return overtaken
  })
  await userStore(table, owner).delete(connectionToolRows.sk({ agentId, name }))
  if (revoked !== undefined) await tryRevocation(ctx, revoked)
}
