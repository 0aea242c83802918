import { provisionLimitReached } from '#shared/agents/fleet/provision.ts'
import type { AgentContext, AgentSetting } from '#shared/agents/record/context.ts'
import { findDeleted } from '#shared/agents/record/deleted.ts'
import { findAgent } from '#shared/agents/record/find.ts'
import { requireEnabled } from '#shared/agents/record/guard.ts'
import { countRefused, countAgentUp, payingOwner } from '#shared/agents/record/owner.ts'
import { notFound, PlatformError } from '#shared/platform/errors.ts'
import { mayMoveMoney } from '#shared/platform/identity/actor.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { newId } from '#shared/platform/ids.ts'
import { refusalError, tryCommit } from '#shared/platform/table/commit.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { isoOf } from '#shared/platform/times.ts'
import { requireRoom } from '../scheduled-tasks/room.ts'
import { countRows, rowsRefused } from './row-quota.ts'
import { type Restore, restoreRows, restoresDue, snapshotRows } from './rows.ts'
import { restorePoints } from './topic.ts'
import { lostMs, requestOf } from './work/lease.ts'
import { reservePinned } from './work/reserve.ts'

/**
 * Requests the restore of an agent to a restore point. A deleted agent keeps its id, and counts as one of its owner's
 * agents from now on. A key without the scope `money` cannot raise its spend cap. The row stores the request until it
 * is done. A repeated request starts no second restore.
 * @throws PlatformError 404, 409 RESTORE_IN_PROGRESS, 409 TASK_LIMIT_REACHED, 429 IMPORT_LIMIT_REACHED, 402
 * STORAGE_LIMIT_REACHED if its files do not fit; of a deleted
 * agent 503 while KILL_SWITCH is on, 402 without an active subscription, 429 with current and limit
 */
export async function requestRestore(
  ctx: Pick<UserContext, 'actor' | 'owner' | 'seed'> &
    AgentContext<'restore-points'> &
    Reads<AgentSetting>,
  { agentId, snapshotId }: { agentId: string; snapshotId: string },
): Promise<Restore> {
  const { table, actor, owner: userId } = ctx
  const store = userStore(table, userId)
  const agent = await findAgent({ table }, { agentId, owner: userId })
  const deleted = agent ? undefined : await findDeleted(table, { userId, agentId })
  if (agent === undefined && deleted === undefined) throw notFound('Agent')
  const item = await store.get(snapshotRows.sk({ agentId, snapshotId }))
  const snapshot = item && snapshotRows.parse(item)
  const isWhole = snapshot?.bytes !== undefined
  // The restore point of the deletion may still be in progress: the restore waits for it.
  if (!isWhole && deleted?.snapshotId !== snapshotId) throw notFound('Restore point')
  if (deleted !== undefined) requireEnabled(ctx)
  await requireRoom(store, { agentId, tasks: snapshot?.tasks ?? 0 })
  const now = Date.now()
  // If the number is unknown, the job counts the rows before it writes them.
  const rows = snapshot?.rows
  const room =
    rows === undefined
      ? undefined
      : await reservePinned(ctx, { userId, agentId, pinId: snapshotId })
  const restore: Restore = {
    id: newId(restoreRows.id, ctx.seed),
    userId,
    agentId,
    snapshotId,
    revives: deleted !== undefined,
    ...(mayMoveMoney(actor.user) && { mayRaiseCap: true }),
    requestedAt: isoOf(now),
    ...(rows !== undefined && { rows }),
    ...(room !== undefined && { reserved: room.reserved }),
  }
  const owner = payingOwner(ctx)
  const put = restoreRows.put({ userId, agentId }, restore, restoresDue.at(agentId, now + lostMs))
  const refusals = await tryCommit(table, {
    restore: { put, if: 'attribute_not_exists(pk)' },
    count: restore.revives ? countAgentUp(table, owner) : undefined,
    rows: rows === undefined ? undefined : countRows(userId, rows, now),
    room: room?.write,
  })
  if (refusals?.restore?.item !== undefined) {
    const before = restoreRows.parse(refusals.restore.item)
    if (before.snapshotId !== snapshotId) throw inProgress()
    await send(ctx, before)
    return before
  }
  if (refusals !== undefined)
    throw refusalError(refusals, {
      count: (row) => countRefused(owner, row, provisionLimitReached),
      rows: (row) => rowsRefused(row, now),
      ...(room !== undefined && { room: room.refused }),
    })
  await send(ctx, restore)
  return restore
}

async function send(
  { queues }: Pick<AgentContext<'restore-points'>, 'queues'>,
  restore: Restore,
): Promise<void> {
  await queues.send(restorePoints, requestOf(restore))
}

function inProgress(): PlatformError {
  return new PlatformError(
    'conflict',
    'The agent is being restored; try again when the restore has finished',
    {
      code: 'RESTORE_IN_PROGRESS',
    },
  )
}
