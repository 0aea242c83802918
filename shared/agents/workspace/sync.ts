import type { Context } from '#shared/platform/identity/context.ts'
import type { ReachContext } from '../agent-gateway/gateway.ts'
import type { Agent } from '../record/agent.ts'
import { changeAgent } from '../record/change.ts'
import { emptyWorkspace, isSynced } from '../record/workspace-state.ts'
import { pullMemory } from './pull.ts'
import { pushWorkspace } from './push.ts'
import { Semaphore } from './semaphore.ts'

/** Short, because a slow agent must not delay the checks of other agents. */
const timeouts = { idleMs: 3000, totalMs: 5000 }
const totalMs = 10_000
const waitMs = 5000

/** An agent's memory may be megabytes, and a process checks a hundred agents concurrently. */
const semaphore = new Semaphore(4)

/**
 * Synchronises a healthy agent and the table at each check. Changes of the table are sent to the container; a starting
 * agent counts as running only after that. The agent's own notes are stored in the table if the agent worked since the
 * last check. If the sync fails, or the limit of concurrent syncs is reached, the next check retries; the agent stays
 * healthy.
 */
export async function syncWorkspace(
  services: Pick<Context, 'table' | 'log'> & ReachContext,
  { agent }: { agent: Agent },
): Promise<void> {
  if (isSynced(agent) && !hasWorkedSince(agent)) return
  using permit = await semaphore.acquire(waitMs)
  if (permit === undefined)
    return services.log.warn('no free slot to sync the workspace', { agentId: agent.id })
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

async function pull(
  ctx: Pick<Context, 'table' | 'log'> & ReachContext,
  agent: Agent,
): Promise<void> {
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
