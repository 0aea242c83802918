import type { Log } from '../platform/log.ts'
import type { Agent } from '../agents/agent.ts'
import { type PushContext, pushWorkspace } from './push.ts'
import { isSynced } from '../agents/workspace-state.ts'

/** Of what a caller waits for, this comes before what they asked. */
const timeouts = { idleMs: 3000, totalMs: 5000 }
const totalMs = 10_000

export interface SyncContext extends PushContext {
  log: Log
}

/**
 * Gives an agent's container what it lacks of its memory and skills, before it is asked something. Where that fails it
 * is asked all the same: better an answer that knows less than none. The failure is logged, and the next check mends it.
 * @returns the agent as it is then
 */
export async function ensurePushed(ctx: SyncContext, { agent }: { agent: Agent }): Promise<Agent> {
  if (isSynced(agent)) return agent
  const signals = [AbortSignal.timeout(totalMs), ...(ctx.signal === undefined ? [] : [ctx.signal])]
  try {
    return await pushWorkspace({ ...ctx, timeouts, signal: AbortSignal.any(signals) }, { agent })
  } catch (error) {
    ctx.log.warn('the workspace was not given', { agentId: agent.id, error })
    return agent
  }
}
