import { releaseRevival } from '#shared/agents/record/deleted.ts'
import { findAgent } from '#shared/agents/record/find.ts'
import { countAgentDown } from '#shared/agents/record/owner.ts'
import { agentEventRows } from '#shared/agents/record/rows.ts'
import type { PlatformError } from '#shared/platform/errors.ts'
import { commit } from '#shared/platform/table/commit.ts'
import { isoOf } from '#shared/platform/times.ts'
import { removeRestoredData } from './begin.ts'
import type { RestoreWork, RestoreWorkContext } from './context.ts'
import { restoreItems } from './lease.ts'
import { releaseRoom } from './reserve.ts'

const retentionDays = 90

/**
 * Ends a restore that a retry cannot fix. A deleted agent and its restore points stay. An existing agent gets an event
 * in its history, and the restore point of its previous state is kept.
 */
export async function refuseRestore(
  ctx: RestoreWorkContext,
  work: RestoreWork,
  { message, code }: PlatformError,
): Promise<void> {
  const { table, log } = ctx
  const { restore } = work
  const { userId, agentId, revives } = restore
  log.warn('a restore was rejected', { agentId, restoreId: restore.id, reason: message, code })
  if (revives) {
    await removeRestoredData(ctx, work)
    await releaseRevival(table, { userId, agentId }, { restoreId: restore.id })
    await commit(table, {
      restore: restoreItems.deleted(restore),
      count: await countAgentDown(table, userId),
      room: releaseRoom(restore),
    })
    return
  }
  const agent = await findAgent({ table }, { agentId, owner: userId })
  const now = Date.now()
  const event = agent && {
    put: agentEventRows.put(
      { userId, agentId, place: `${String(agent.revision).padStart(10, '0')}.${restore.id}` },
      {
        kind: 'restored' as const,
        text: `It was not restored: ${message}`,
        by: `user:${userId}`,
        at: isoOf(now),
      },
      { expiresAt: Math.ceil(now / 1000) + retentionDays * 86_400 },
    ),
  }
  await commit(table, {
    restore: restoreItems.deleted(restore),
    room: releaseRoom(restore),
    event,
  })
}
