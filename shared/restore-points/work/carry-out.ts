import { findDeleted } from '../../agents/deleted.ts'
import { readAgent } from '../../agents/find.ts'
import { countDown } from '../../agents/owner.ts'
import { PlatformError } from '../../platform/errors.ts'
import { commit } from '../../platform/table/commit.ts'
import { userStore } from '../../platform/table/user-store.ts'
import { requireRoom } from '../../scheduled-tasks/room.ts'
import { decode } from '../content.ts'
import { countRows, rowsIn, rowsRefused } from '../row-quota.ts'
import { objectOf, restoreRows, snapshotRows } from '../rows.ts'
import { restorePoints, type RestoreMessage } from '../topic.ts'
import { begin } from './begin.ts'
import type { Work, WorkContext } from './context.ts'
import { ending, letGo, still, Overtaken, renew, takeRestore } from './hold.ts'
import { refuse } from './refuse.ts'
import { revive } from './revive.ts'
import { rewind } from './rewind.ts'

/** Between two looks at a deleted agent whose data are not removed yet. */
const waitSeconds = 3

/**
 * Carries a restore out. Each step comes to the same when it is done again, and the row stays until all are done: a
 * restore whose process was killed is done again from its beginning.
 */
export async function carryOut(ctx: WorkContext, message: RestoreMessage): Promise<void> {
  const { table, queues, log, objects } = ctx
  const restore = await takeRestore(table, { ...message, by: ctx.seed })
  if (restore === undefined) return
  const { userId, agentId, snapshotId, revives, begins } = restore
  try {
    const body = await objects.get(objectOf({ agentId, id: snapshotId }))
    const goOn = () => renew(table, restore)
    if (body !== undefined) {
      const work = { restore, goOn, given: await decode(body) }
      const done = await (begins ? begun(ctx, work) : restored(ctx, work))
      if (done) return
    } else if (begins) {
      // Its process was killed before the content was kept, so that no caller has heard of it.
      log.warn('an agent was not made, as its content was not kept', { agentId })
      await commit(table, { restore: ending(restore), count: await countDown(table, userId) })
      return
    } else if (!revives || (await isOver(ctx, message))) {
      // Its time was over before this came: what it says is gone.
      log.error('a restore point is gone', { agentId, snapshotId })
      await commit(table, {
        restore: ending(restore),
        // Nobody is to be offered it again.
        snapshot: { delete: snapshotRows.key({ userId, agentId, snapshotId }) },
        count: revives ? await countDown(table, userId) : undefined,
      })
      return
    }
    await letGo(table, restore, Date.now() + 20_000 * waitSeconds)
    await queues.send(restorePoints, message, { delaySeconds: waitSeconds })
  } catch (error) {
    if (!(error instanceof Overtaken)) throw error
    log.warn('a restore was overtaken', { agentId, restoreId: restore.id })
  }
}

/** Limits of the owner's: a retry of the restore meets them again. */
const limits: ReadonlySet<unknown> = new Set(['TASK_LIMIT_REACHED', 'IMPORT_LIMIT_REACHED'])

/** Restores, or ends the restore where a limit of its owner's is reached by now. @returns whether it is over */
async function restored(ctx: WorkContext, work: Work): Promise<boolean> {
  const { userId, agentId, revives } = work.restore
  const { length: tasks } = work.given.tasks
  try {
    await requireRoom(userStore(ctx.table, userId), { agentId, tasks })
    if (work.restore.rows === undefined) await count(ctx, work)
    return await (revives ? revive(ctx, work) : rewind(ctx, work))
  } catch (error) {
    if (!(error instanceof PlatformError && limits.has(error.code))) throw error
    await refuse(ctx, work, error)
    return true
  }
}

/** Counts the rows of a restore point whose request did not know them yet. @throws PlatformError 429 IMPORT_LIMIT_REACHED, Overtaken */
async function count({ table }: WorkContext, { restore, given }: Work): Promise<void> {
  const { userId, agentId } = restore
  const now = Date.now()
  const rows = rowsIn(given)
  await commit(
    table,
    {
      restore: { update: restoreRows.key({ userId, agentId }), set: { rows }, ...still(restore) },
      rows: countRows(userId, rows, now),
    },
    { restore: () => new Overtaken(restore), rows: (row) => rowsRefused(row, now) },
  )
}

/** Makes an agent whose request was killed. Where it is refused there is nobody left to be told. */
async function begun(ctx: WorkContext, work: Work): Promise<true> {
  try {
    await begin(ctx, work)
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    ctx.log.warn('an agent was not made', { agentId: work.restore.agentId, error })
  }
  return true
}

/** Whether the restore point of a deletion cannot come any more. */
async function isOver({ table }: WorkContext, { userId, agentId }: RestoreMessage) {
  if ((await findDeleted(table, { userId, agentId })) === undefined) return true
  return (await readAgent(table, { userId, agentId })) === undefined
}
