import { byPerson } from '#shared/agents/fleet/lifecycle/by-person.ts'
import { restartAgent } from '#shared/agents/fleet/lifecycle/restart.ts'
import { sendStops } from '#shared/agents/fleet/requests/send.ts'
import { stopped } from '#shared/agents/fleet/states/end.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import { findAgent } from '#shared/agents/record/find.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { isoOf } from '#shared/platform/times.ts'
import { LeaseLost } from '#shared/platform/work/lease-lost.ts'
import { type Restore, restoreRows } from '../rows.ts'
import type { RestoreWorkContext } from './context.ts'
import { restoreItems } from './lease.ts'

/**
 * Stops a running agent until its data are replaced. Its key is invalid from now on, so its container cannot commit
 * anything more. The row of the restore contains that it must start again.
 * @returns whether it must start again
 * @throws LeaseLost
 */
export async function stopForRestore(
  ctx: RestoreWorkContext,
  { restore, agent }: { restore: Restore; agent: Agent },
): Promise<boolean> {
  const { userId, agentId } = restore
  // Nothing is stopped or started while KILL_SWITCH is on: the container reads the replaced files while it runs.
  if (ctx.config.KILL_SWITCH) return false
  let stops = false
  const text = 'Stopped for a restore'
  const at = isoOf(Date.now())
  const after = await changeAgent(ctx, {
    agent,
    decide(current) {
      stops = current.desired === 'running' && !current.deleting
      if (!stops) return current
      const stopReason = { code: 'UserInitiated', exitCode: null, text, at }
      return byPerson('stopped')({ ...stopped(current), stopReason })
    },
    onChange: {
      write: {
        update: restoreRows.key({ userId, agentId }),
        set: { resumes: true },
        ...restoreItems.still(restore),
      },
      refused: () => new LeaseLost(restore.id),
    },
  })
  const resumes = stops || restore.resumes === true
  // An earlier attempt may have died before it sent them.
  if (after !== undefined && resumes) await sendStops(ctx.queues, after)
  return resumes
}

/**
 * Starts an agent again after a restore. An agent that was started in the meantime restarts, because its container may
 * have read earlier data.
 * @param filled its generation when all data were replaced
 */
export async function startAfterRestore(
  ctx: RestoreWorkContext,
  { userId, agentId }: Pick<Restore, 'userId' | 'agentId'>,
  { resumes, filled }: { resumes: boolean; filled: number },
): Promise<void> {
  const agent = await findAgent(ctx, { agentId, owner: userId })
  const isUp = agent?.desired === 'running'
  if (agent === undefined || (!isUp && !resumes)) return
  // Started after all data were replaced, by an earlier attempt or by a person.
  if (isUp && agent.generation !== filled) return
  try {
    await restartAgent(ctx, { agent, reason: 'restart' })
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    // The plan has ended, or the operator has disabled starts: the agent gets the new state at its next start.
    ctx.log.warn('not restarted after a restore', { agentId, error })
  }
}
