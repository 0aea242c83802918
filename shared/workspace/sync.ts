import type { Agent } from '../agents/agent.ts'
import { changeAgent } from '../agents/change.ts'
import type { SyncContext } from './ensure.ts'
import { pushWorkspace } from './push.ts'
import { pullMemory } from './pull.ts'
import { Semaphore } from './semaphore.ts'
import { emptyWorkspace, isSynced } from '../agents/workspace-state.ts'

/** A check has little time, and an agent that takes all of it must not take the others': milliseconds. */
const timeouts = { idleMs: 3000, totalMs: 5000 }
const totalMs = 10_000
const waitMs = 5000

/** What an agent remembers may be megabytes, and a process checks a hundred agents side by side. */
const semaphore = new Semaphore(4)

/**
 * Keeps an agent that answers and the table together, at each of its checks: its container is given what it lacks,
 * before the agent counts as running where it is just starting, and what it wrote itself is taken over once it was
 * worked with. What fails or finds no place is the next check's to mend: it makes no agent unhealthy.
 */
export async function syncWorkspace(
  services: SyncContext,
  { agent }: { agent: Agent },
): Promise<void> {
  if (isSynced(agent) && !hasWorkedSince(agent)) return
  using permit = await semaphore.acquire(waitMs)
  if (permit === undefined)
    return services.log.warn('no place to sync the workspace', { agentId: agent.id })
  const ctx = { ...services, timeouts, signal: AbortSignal.timeout(totalMs) }
  try {
    const pushed = await pushWorkspace(ctx, { agent })
    if (hasWorkedSince(pushed)) await pull(ctx, pushed)
  } catch (error) {
    ctx.log.warn('the workspace was not synced', { agentId: agent.id, error })
  }
}

function hasWorkedSince({ status, lastActiveAt, workspace }: Agent): boolean {
  if (status !== 'running' || lastActiveAt === undefined) return false
  return (workspace?.learnedAt ?? '') < lastActiveAt
}

async function pull(ctx: SyncContext, agent: Agent): Promise<void> {
  const learnedAt = new Date().toISOString()
  const pulled = await pullMemory(ctx, { agent })
  await changeAgent(ctx, {
    agent: pulled,
    decide: (current) => ({
      ...current,
      workspace: { ...(current.workspace ?? emptyWorkspace), learnedAt },
    }),
  })
}
