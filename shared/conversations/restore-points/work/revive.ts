import { sendStart } from '#shared/agents/fleet/requests/send.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { type DeletedAgent, findDeleted, lockForRestore } from '#shared/agents/record/deleted.ts'
import { readAgent } from '#shared/agents/record/find.ts'
import { platformsImage } from '#shared/agents/record/image/platforms.ts'
import { deletedAgentRows } from '#shared/agents/record/rows.ts'
import { newWatchdog } from '#shared/agents/watchdog/schema.ts'
import { writeWorkspace } from '#shared/agents/workspace/replace.ts'
import { replaceMessages } from '#shared/conversations/chat/replace-messages.ts'
import { replaceTasks } from '#shared/conversations/scheduled-tasks/replace.ts'
import { initialPolicy } from '#shared/permits/policy/restore.ts'
import { TransactionRefused } from '#shared/platform/table/commit.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { makePermanent } from '../retention.ts'
import { commitAgent } from './commit-agent.ts'
import type { RestoreWork, RestoreWorkContext } from './context.ts'
import { fileWrites } from './files.ts'
import { restoreItems } from './lease.ts'
import { roomOf } from './payer.ts'
import { restoredConfig } from './restored-config.ts'

/**
 * Restores a deleted agent under its id. Its data are written first; the last transaction creates the whole agent.
 * @returns false while the old data are still being removed
 */
export async function revive(ctx: RestoreWorkContext, work: RestoreWork): Promise<boolean> {
  const { table } = ctx
  const { restore, content, goOn } = work
  const { userId, agentId, id: restoreId } = restore
  const ref = { userId, agentId }
  if ((await readAgent(table, ref)) !== undefined) return false
  const deleted = await findDeleted(table, ref)
  // The deleted agent's row expired while the restore waited: without it, the old data may still be in removal.
  if (deleted === undefined || !(await lockForRestore(table, ref, { restoreId }))) return false
  const { plan, places, awakeLimit } = await roomOf(ctx, work)
  const { notes, skills, tasks, messages, cut } = content
  await replaceMessages(userStore(table, userId), { agentId, messages, cut, goOn })
  const filled = { notes, skills, resetAt: content.agent.resetAt }
  const workspace = await writeWorkspace({ table }, { userId, agentId, content: filled, places })
  await goOn()
  await replaceTasks({ table }, { userId, agentId, tasks })
  await makePermanent(table, ref)
  await goOn()
  const image = platformsImage(ctx.config, agentId)
  const policy = initialPolicy(ref, content.policy)
  const wanted: Agent = { ...revived(work, deleted), plan, image, workspace, ...policy.mark }
  const agent = await commitAgent(
    table,
    { agent: wanted, limit: awakeLimit },
    {
      ...(await fileWrites(ctx, work)),
      policy: policy.write,
      restore: restoreItems.deleted(restore),
      deleted: { delete: deletedAgentRows.key(ref) },
    },
  ).catch((error: unknown) => {
    // Another process removes the packs that no restore point needs.
    if (error instanceof TransactionRefused && 'files' in error.refusals) return undefined
    throw error
  })
  if (agent === undefined) return false
  if (agent.desired === 'running') await sendStart(ctx.queues, agent)
  return true
}

function revived(
  work: RestoreWork,
  { subdomain, generation, tokenVersion, ...caps }: DeletedAgent,
): Omit<Agent, 'plan' | 'image' | 'workspace'> {
  const { restore, content } = work
  const { name, model, aiProvider, running, sleepsByDefault } = content.agent
  const at = new Date().toISOString()
  return {
    id: restore.agentId,
    userId: restore.userId,
    name,
    model,
    aiProvider,
    config: restoredConfig(work, caps),
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
