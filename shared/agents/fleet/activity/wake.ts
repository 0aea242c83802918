import type { Agent } from '#shared/agents/record/agent.ts'
import { awakeLimitOf } from '#shared/agents/record/awake.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import { requireEnabled } from '#shared/agents/record/guard.ts'
import { permitStart } from '#shared/agents/record/permit.ts'
import { withoutFailures } from '#shared/agents/watchdog/forgive.ts'
import { notFound } from '#shared/platform/errors.ts'
import { sendStart } from '../requests/send.ts'
import { nextGeneration } from '../states/generation.ts'
import type { ActivityContext } from './context.ts'
import { makeRoom } from './make-room.ts'

/**
 * Starts an agent that is asleep; leaves others unchanged. Concurrent requests start it once. If the owner's plan
 * allows no more awake agents, the agent that is idle the longest goes to sleep.
 * @param input.agent the agent as the caller last read it
 * @throws PlatformError 503 PROVISIONING_DISABLED while KILL_SWITCH is on, 402 if its owner's plan has ended, 402
 * AWAKE_LIMIT_REACHED if all awake agents are busy or never sleep, 404 if it is deleted in the meantime
 */
export async function wakeAgent(ctx: ActivityContext, { agent }: { agent: Agent }): Promise<Agent> {
  if (!agent.asleep) return agent
  requireEnabled(ctx)
  for (;;)
    try {
      return await wake(ctx, agent)
    } catch (error) {
      const limit = awakeLimitOf(error)
      if (limit === undefined || !(await makeRoom(ctx, { agent, limit }))) throw error
    }
}

async function wake(ctx: ActivityContext, agent: Agent): Promise<Agent> {
  const { paid, awakeLimit } = await permitStart(ctx, agent, 'owner')
  const wake = (current: Agent): Agent => {
    if (!current.asleep || current.deleting) return current
    const watchdog = withoutFailures(current.watchdog, Date.now())
    return { ...nextGeneration(current), watchdog, waking: true }
  }
  const stored = await changeAgent(
    { table: ctx.table },
    { agent, decide: wake, now: Date.now(), onStart: paid, awakeLimit },
  )
  if (stored === undefined || stored.deleting) throw notFound('Agent')
  // The start is also sent if another request woke the agent, because that process may have died before it sent it.
  if (stored.waking && stored.taskArn === undefined)
    await sendStart(ctx.queues, stored, { reason: 'wake' })
  return stored
}
