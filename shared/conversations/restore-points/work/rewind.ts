import { restartAgent } from '#shared/agents/fleet/lifecycle/restart.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import { eventWrites } from '#shared/agents/record/events/write.ts'
import { findAgent } from '#shared/agents/record/find.ts'
import { replaceWorkspace } from '#shared/agents/workspace/replace.ts'
import { replaceMessages } from '#shared/conversations/chat/replace-messages.ts'
import { replaceTasks } from '#shared/conversations/scheduled-tasks/replace.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { newId } from '#shared/platform/ids.ts'
import { commit, numbered } from '#shared/platform/table/commit.ts'
import type { Write } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { snapshotRows } from '../rows.ts'
import { storeSnapshot, seedOf } from '../store-snapshot.ts'
import type { RestoreWork, RestoreWorkContext } from './context.ts'
import { restoreItems } from './lease.ts'
import { roomOf } from './payer.ts'
import { restoredConfig } from './restored-config.ts'

/**
 * Sets an existing agent back to a restore point.
 * @returns true, because the restore does not have to wait for anything
 */
export async function rewind(ctx: RestoreWorkContext, work: RestoreWork): Promise<boolean> {
  const { table } = ctx
  const { restore, content, goOn } = work
  const { userId, agentId } = restore
  const agent = await findAgent({ table }, { agentId, owner: userId })
  if (agent !== undefined) {
    // The seed is the same for each attempt, so that the restore point contains the state before the first attempt.
    const seed = await seedOf(`before ${restore.id}`, Date.parse(restore.requestedAt))
    await storeSnapshot(ctx, { agent, id: newId(snapshotRows.id, seed), kind: 'restore' })
    await goOn()
    const { plan, places } = await roomOf(ctx, work)
    const changed = await changeAgent(ctx, {
      agent,
      decide: (current) => {
        if (current.deleting) return current
        const { model, aiProvider, sleepsByDefault } = content.agent
        const config = restoredConfig(work, current.config)
        const recipe = { model, aiProvider, plan, config }
        return { ...current, ...recipe, sleepsByDefault }
      },
    })
    if (changed !== undefined && !changed.deleting) await fill(ctx, work, changed, places)
  }
  const after = await findAgent({ table }, { agentId, owner: userId })
  await commit(table, {
    restore: restoreItems.deleted(restore),
    ...(after && numbered('event', restored(after, userId))),
  })
  return true
}

/** Starts at position 9, after the events of the agent's own last change. */
function restored(agent: Agent, userId: string): Write[] {
  const happenings = [{ kind: 'restored' as const, text: 'Restored from a restore point' }]
  return eventWrites(agent, { happenings, by: `user:${userId}`, now: Date.now(), from: 9 })
}

async function fill(
  ctx: RestoreWorkContext,
  work: RestoreWork,
  agent: Agent,
  places: number,
): Promise<void> {
  const { table } = ctx
  const { content, goOn, restore } = work
  const { userId, agentId } = restore
  const { notes, skills, tasks, messages, cut } = content
  const workspace = { notes, skills, resetAt: content.agent.resetAt }
  await replaceWorkspace({ table }, { agent, content: workspace, places })
  await goOn()
  await replaceTasks({ table }, { userId, agentId, tasks })
  await goOn()
  await replaceMessages(userStore(table, userId), { agentId, messages, cut, goOn })
  await restart(ctx, agentId, userId)
}

/** Restarts the agent: its container has the old state and remembers the conversations. */
async function restart(ctx: RestoreWorkContext, agentId: string, userId: string): Promise<void> {
  const agent = await findAgent(ctx, { agentId, owner: userId })
  if (agent?.desired !== 'running') return
  try {
    await restartAgent(ctx, { agent, reason: 'restart' })
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    // The plan has ended, or the operator has disabled starts: the agent gets the new state at its next start.
    ctx.log.warn('not restarted after a restore', { agentId, error })
  }
}
