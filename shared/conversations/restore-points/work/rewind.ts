import type { Agent } from '#shared/agents/record/agent.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import { eventWrites } from '#shared/agents/record/events/write.ts'
import { findAgent } from '#shared/agents/record/find.ts'
import { replaceWorkspace } from '#shared/agents/workspace/replace.ts'
import { replaceMessages } from '#shared/conversations/chat/replace-messages.ts'
import { replaceTasks } from '#shared/conversations/scheduled-tasks/replace.ts'
import { restorePolicy } from '#shared/permits/policy/restore.ts'
import type { AuditContext } from '#shared/platform/identity/audit.ts'
import { newId } from '#shared/platform/ids.ts'
import { commit, numbered } from '#shared/platform/table/commit.ts'
import type { Write } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { snapshotRows } from '../rows.ts'
import { storeSnapshot, seedOf } from '../store-snapshot.ts'
import type { RestoreWork, RestoreWorkContext } from './context.ts'
import { replaceFiles } from './files.ts'
import { restoreItems } from './lease.ts'
import { roomOf } from './payer.ts'
import { releaseRoom } from './reserve.ts'
import { startAfterRestore, stopForRestore } from './restart.ts'
import { restoredConfig } from './restored-config.ts'

/** The audit has each change of a policy. */
type RewindContext = RestoreWorkContext & AuditContext

/**
 * Sets an existing agent back to a restore point. The agent is stopped while its data are replaced. The tasks are first,
 * because only they can be refused then.
 * @returns true, because the restore does not have to wait for anything
 */
export async function rewind(ctx: RewindContext, work: RestoreWork): Promise<boolean> {
  const { table } = ctx
  const { restore } = work
  const { userId, agentId } = restore
  const agent = await findAgent({ table }, { agentId, owner: userId })
  if (agent !== undefined) await replaceAll(ctx, work, agent)
  const after = await findAgent({ table }, { agentId, owner: userId })
  const isUsed = agent !== undefined && work.content.files !== undefined
  await commit(table, {
    restore: restoreItems.deleted(restore),
    // The agent was deleted before its files were replaced, or its restore point contains none.
    room: isUsed ? undefined : releaseRoom(restore),
    ...(after && numbered('event', restored(after, userId))),
  })
  return true
}

async function replaceAll(ctx: RewindContext, work: RestoreWork, agent: Agent): Promise<void> {
  const { table } = ctx
  const { restore, content, goOn } = work
  const { userId, agentId } = restore
  let { filled } = restore
  let resumes = restore.resumes === true
  if (filled === undefined) {
    // The seed is the same for each attempt, so that the restore point contains the state before the first attempt.
    const seed = await seedOf(`before ${restore.id}`, Date.parse(restore.requestedAt))
    const saved = newId(snapshotRows.id, seed)
    await storeSnapshot(ctx, { agent, id: saved, kind: 'restore' })
    await goOn()
    await replaceTasks({ table }, { userId, agentId, tasks: content.tasks })
    await goOn()
    resumes = await stopForRestore(ctx, { restore, agent })
    await replaceFiles(ctx, work, { saved })
    await goOn()
    await fill(ctx, work)
    const after = await findAgent(ctx, { agentId, owner: userId })
    if (after === undefined) return
    filled = after.generation
    await restoreItems.save(ctx, restore, { set: { filled } })
  }
  await startAfterRestore(ctx, restore, { resumes, filled })
}

/** Starts at position 9, after the events of the agent's own last change. */
function restored(agent: Agent, userId: string): Write[] {
  const happenings = [{ kind: 'restored' as const, text: 'Restored from a restore point' }]
  return eventWrites(agent, { happenings, by: `user:${userId}`, now: Date.now(), from: 9 })
}

/** Replaces the config, the policy, the memory, the skills and the conversations. */
async function fill(ctx: RewindContext, work: RestoreWork): Promise<void> {
  const { table } = ctx
  const { content, goOn, restore } = work
  const { userId, agentId } = restore
  const { plan, places } = await roomOf(ctx, work)
  const agent = await findAgent(ctx, { agentId, owner: userId })
  if (agent === undefined) return
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
  if (changed === undefined || changed.deleting) return
  const { notes, skills, messages, cut, policy } = content
  const mayMoveMoney = restore.mayRaiseCap === true
  if (policy !== undefined) await restorePolicy(ctx, { agent: changed, policy, mayMoveMoney })
  const workspace = { notes, skills, resetAt: content.agent.resetAt }
  await replaceWorkspace({ table }, { agent: changed, content: workspace, places })
  await goOn()
  await replaceMessages(userStore(table, userId), { agentId, messages, cut, goOn })
}
