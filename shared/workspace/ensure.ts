import type { Log } from '../platform/log.ts'
import type { Agent } from '../agents/agent.ts'
import { type PushContext, pushWorkspace } from './push.ts'
import { isFilled } from '../agents/workspace-state.ts'

/** Of what a caller waits for, this comes before what they asked. */
const patience = { silence: 3000, whole: 5000 }
const wholeMs = 10_000

export interface SyncContext extends PushContext {
  log: Log
}

/**
 * Gives an agent's container what it lacks of its memory and skills, before it is asked something. Where that fails it
 * is asked all the same: better an answer that knows less than none. The failure is logged, and the next check mends it.
 * @returns the agent as it is then
 */
export async function ensurePushed(ctx: SyncContext, agent: Agent): Promise<Agent> {
  if (isFilled(agent)) return agent
  const signals = [AbortSignal.timeout(wholeMs), ...(ctx.signal === undefined ? [] : [ctx.signal])]
  try {
    return await pushWorkspace({ ...ctx, patience, signal: AbortSignal.any(signals) }, agent)
  } catch (error) {
    ctx.log.warn('the workspace was not given', { agentId: agent.id, error })
    return agent
  }
}
