import { unpinFiles } from '#shared/agents/files/pin.ts'
import { findDeleted } from '#shared/agents/record/deleted.ts'
import { readAgent } from '#shared/agents/record/find.ts'
import { countAgentDown } from '#shared/agents/record/owner.ts'
import { requireRoom } from '#shared/conversations/scheduled-tasks/room.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { AuditContext } from '#shared/platform/identity/audit.ts'
import { commit } from '#shared/platform/table/commit.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { LeaseLost } from '#shared/platform/work/lease-lost.ts'
import { decode } from '../content.ts'
import { countRows, rowsIn, rowsRefused } from '../row-quota.ts'
import { objectOf, restoreRows, snapshotRows } from '../rows.ts'
import type { RestoreMessage } from '../topic.ts'
import { createRestoredAgent } from './begin.ts'
import type { RestoreJobContext, RestoreWork, RestoreWorkContext } from './context.ts'
import { bringFiles, removeInitialFiles } from './initial-files.ts'
import { claimRestore, restoreItems } from './lease.ts'
import { refuseRestore } from './refuse.ts'
import { releaseRoom, reservePinned } from './reserve.ts'
import { revive } from './revive.ts'
import { rewind } from './rewind.ts'

/** The delay between checks of a deleted agent whose data are still being removed. */
const waitSeconds = 3

/**
 * Carries out a restore. Every step is idempotent, and the row stays until all are done: after a crash, the restore
 * starts again from the beginning.
 */
export async function executeRestore(
  ctx: RestoreJobContext & AuditContext,
  message: RestoreMessage,
): Promise<void> {
  const { table, log, objects } = ctx
  const restore = await claimRestore(ctx, message)
  if (restore === undefined) return
  const { userId, agentId, snapshotId, revives, begins } = restore
  try {
    const body = await objects.get(objectOf({ agentId, id: snapshotId }))
    const goOn = () => restoreItems.renew(ctx, restore)
    if (body !== undefined) {
      const work = { restore, goOn, content: await decode(body) }
      const done = await (begins ? created(ctx, work) : restored(ctx, work))
      if (done) return
    } else if (begins) {
      // The process was killed before the content was stored, so no caller has received a response.
      log.warn('an agent was not created, because its content was not stored', { agentId })
      await removeInitialFiles(ctx, restore)
      await commit(table, {
        restore: restoreItems.deleted(restore),
        room: releaseRoom(restore),
        count: await countAgentDown(table, userId),
      })
      return
    } else if (!revives || (await isOver(ctx, message))) {
      // The restore point expired before the restore: its content is gone.
      log.error('a restore point does not exist', { agentId, snapshotId })
      await unpinFiles(ctx, { userId, agentId, pinId: snapshotId })
      await commit(table, {
        restore: restoreItems.deleted(restore),
        // Removes the row, so that the restore point is not listed again.
        snapshot: { delete: snapshotRows.key({ userId, agentId, snapshotId }) },
        room: releaseRoom(restore),
        count: revives ? await countAgentDown(table, userId) : undefined,
      })
      return
    }
    await restoreItems.later(ctx, restore, waitSeconds)
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error
    log.warn('the lease of a restore was lost', { agentId, restoreId: restore.id })
  }
}

/** The error codes of the owner's limits, which a retry of the restore would exceed again. */
const limits: ReadonlySet<unknown> = new Set([
  'TASK_LIMIT_REACHED',
  'IMPORT_LIMIT_REACHED',
  'STORAGE_LIMIT_REACHED',
])

/**
 * Restores the agent, or ends the restore if it exceeds a limit of its owner.
 * @returns whether the restore has ended
 */
async function restored(
  ctx: RestoreWorkContext & AuditContext,
  work: RestoreWork,
): Promise<boolean> {
  const { userId, agentId, revives } = work.restore
  const { length: tasks } = work.content.tasks
  try {
    await requireRoom(userStore(ctx.table, userId), { agentId, tasks })
    const counted = work.restore.rows === undefined ? await count(ctx, work) : work
    return await (revives ? revive(ctx, counted) : rewind(ctx, counted))
  } catch (error) {
    if (!(error instanceof PlatformError && limits.has(error.code))) throw error
    await refuseRestore(ctx, work, error)
    return true
  }
}

/**
 * Counts the rows of a restore point, and reserves the storage for its files, if both were unknown at the request.
 * @throws PlatformError 429 IMPORT_LIMIT_REACHED, 402 STORAGE_LIMIT_REACHED, LeaseLost
 */
async function count(ctx: RestoreWorkContext, work: RestoreWork): Promise<RestoreWork> {
  const { table } = ctx
  const { restore, content } = work
  const { userId, agentId, snapshotId: pinId } = restore
  const now = Date.now()
  const rows = rowsIn(content)
  const room = await reservePinned(ctx, { userId, agentId, pinId })
  const { reserved } = room
  await commit(
    table,
    {
      restore: {
        update: restoreRows.key({ userId, agentId }),
        set: { rows, reserved },
        ...restoreItems.still(restore),
      },
      rows: countRows(userId, rows, now),
      room: room.write,
    },
    {
      restore: () => new LeaseLost(restore.id),
      rows: (row) => rowsRefused(row, now),
      room: room.refused,
    },
  )
  return { ...work, restore: { ...restore, rows, reserved } }
}

/**
 * Creates an agent whose request was killed, or completes its files. If it is rejected, no caller waits for the error.
 */
async function created(ctx: RestoreJobContext, work: RestoreWork): Promise<boolean> {
  if (work.restore.made) return bringFiles(ctx, work)
  try {
    await createRestoredAgent(ctx, work)
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    ctx.log.warn('an agent was not created', { agentId: work.restore.agentId, error })
  }
  return true
}

/** Reports whether the restore point of a deletion will never be completed. */
async function isOver({ table }: RestoreWorkContext, { userId, agentId }: RestoreMessage) {
  if ((await findDeleted(table, { userId, agentId })) === undefined) return true
  return (await readAgent(table, { userId, agentId })) === undefined
}
