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
import { revoke } from './oauth/revoke.ts'
import { connectionCountRows, connectionRows, connectionToolRows } from './rows.ts'

/**
 * Deletes a connection and revokes its tokens at their server, as far as the server answers.
 * @throws PlatformError 404
 */
export async function deleteConnection(
  ctx: UserContext & ConnectionSettings,
  { agentId, name }: { agentId: string; name: string },
): Promise<void> {
  const { table, owner } = ctx
  const agent = await requireAgent(ctx, { agentId, owner })
  const key = { userId: owner, agentId, name }
  const connection = await requireConnection(table, key, name)
  const store = userStore(table, owner)
  await retryOptimistically(async () => {
    const counter = await connectionCountRows.find(table, key, { consistent: true })
    const isLast = counter?.count === 1
    // Tools without a connection are not shown, and the next connection of this name replaces them.
    const refusals = await tryCommit(table, {
      row: { delete: connectionRows.key(key), if: 'attribute_exists(pk)' },
      count: {
        ...decrement({ in: connectionCountRows.key(key), attribute: 'count' }),
        if: '#count = :seen',
        values: { seen: counter?.count ?? 0 },
      },
      ...(isLast && { agent: agentMark(table, agent, 'hasConnections', false) }),
      audit: await auditPart(ctx, key, { before: connection }),
    })
    if (refusals === undefined) return
    if (refusals.row !== undefined) throw notFound('Connection')
    if (refusals.agent !== undefined) throw notFound('Agent')
    return overtaken
  })
  await store.delete(connectionToolRows.sk({ agentId, name }))
  await revoke(ctx, agentId, connection)
}
