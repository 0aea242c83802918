import { findDeleted } from '../../agents/deleted.ts'
import { readAgent } from '../../agents/find.ts'
import { countDown } from '../../agents/owner.ts'
import { commit } from '../../platform/table/commit.ts'
import { decode } from '../content.ts'
import { objectOf } from '../rows.ts'
import { restorePoints, type RestoreMessage } from '../topic.ts'
import type { WorkContext } from './context.ts'
import { ending, letGo, Overtaken, renew, takeRestore } from './hold.ts'
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
  const { userId, agentId, revives } = restore
  try {
    const body = await objects.get(objectOf({ agentId, id: restore.snapshotId }))
    const goOn = () => renew(table, restore)
    if (body !== undefined) {
      const work = { restore, goOn, given: await decode(body) }
      const done = await (revives ? revive(ctx, work) : rewind(ctx, work))
      if (done) return
    } else if (!revives || (await isOver(ctx, message))) {
      // Its time was over before this came: what it says is gone.
      log.error('a restore point is gone', { agentId, snapshotId: restore.snapshotId })
      await commit(table, {
        restore: ending(restore),
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

/** Whether the restore point of a deletion cannot come any more. */
async function isOver({ table }: WorkContext, { userId, agentId }: RestoreMessage) {
  if ((await findDeleted(table, { userId, agentId })) === undefined) return true
  return (await readAgent(table, { userId, agentId })) === undefined
}
