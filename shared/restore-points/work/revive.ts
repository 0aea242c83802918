import { platformsImage } from '../../agents/image/platforms.ts'
import type { Agent } from '../../agents/agent.ts'
import { type DeletedAgent, findDeleted, takeForRevival } from '../../agents/deleted.ts'
import { readAgent } from '../../agents/find.ts'
import { deletedAgentRows } from '../../agents/rows.ts'
import { replaceMessages } from '../../chat/replace-messages.ts'
import { sendStart } from '../../fleet/provisioning/messages.ts'
import { userStore } from '../../platform/table/user-store.ts'
import { replaceTasks } from '../../scheduled-tasks/replace.ts'
import { newWatchdog } from '../../watchdog/schema.ts'
import { writeWorkspace } from '../../workspace/replace.ts'
import { keepForGood } from '../retention.ts'
import { commitAgent } from './commit-agent.ts'
import type { Work, WorkContext } from './context.ts'
import { ending } from './hold.ts'
import { roomOf } from './payer.ts'
import { restoredConfig } from './restored-config.ts'

/**
 * Restores a deleted agent under its id. Its data are written first; the last transaction creates the whole agent.
 * @returns false while the old data are still being removed
 */
export async function revive(ctx: WorkContext, work: Work): Promise<boolean> {
  const { table } = ctx
  const { restore, given, goOn } = work
  const { userId, agentId, id: restoreId } = restore
  const ref = { userId, agentId }
  if ((await readAgent(table, ref)) !== undefined) return false
  const deleted = await findDeleted(table, ref)
  // It expired while it waited: without the row, the old data may still be in removal.
  if (deleted === undefined || !(await takeForRevival(table, ref, { restoreId }))) return false
  const { plan, places, awakeLimit } = await roomOf(ctx, work)
  const { notes, skills, tasks, messages, cut } = given
  await replaceMessages(userStore(table, userId), { agentId, messages, cut, goOn })
  const filled = { notes, skills, resetAt: given.agent.resetAt }
  const workspace = await writeWorkspace({ table }, { userId, agentId, given: filled, places })
  await goOn()
  await replaceTasks({ table }, { userId, agentId, tasks })
  await keepForGood(table, ref)
  await goOn()
  const image = platformsImage(ctx.config, agentId)
  const wanted: Agent = { ...revived(work, deleted), plan, image, workspace }
  const agent = await commitAgent(
    table,
    { agent: wanted, limit: awakeLimit },
    {
      restore: ending(restore),
      deleted: { delete: deletedAgentRows.key(ref) },
    },
  )
  if (agent.desired === 'running') await sendStart(ctx.queues, agent)
  return true
}

function revived(
  work: Work,
  { subdomain, generation, tokenVersion, spendCapUsd }: DeletedAgent,
): Omit<Agent, 'plan' | 'image' | 'workspace'> {
  const { restore, given } = work
  const { name, model, aiProvider, running, sleepsByDefault } = given.agent
  const at = new Date().toISOString()
  return {
    id: restore.agentId,
    userId: restore.userId,
    name,
    model,
    aiProvider,
    config: restoredConfig(work, spendCapUsd),
    sleepsByDefault,
    subdomain,
    status: running ? 'provisioning' : 'stopped',
    desired: running ? 'running' : 'stopped',
    // Its earlier containers, keys and tokens are never used again.
    generation: generation + 1,
    tokenVersion: tokenVersion + 1,
    revision: 1,
    located: true,
    watchdog: newWatchdog(Date.now()),
    createdAt: at,
    updatedAt: at,
  }
}
