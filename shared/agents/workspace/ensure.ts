import type { Log } from '../../platform/log.ts'
import type { Agent } from '../agent.ts'
import { type FillContext, fillWorkspace } from './fill.ts'
import { isFilled } from './state.ts'

/** Of what a caller waits for, this comes before what they asked. */
const patience = { silence: 3000, whole: 5000 }
const wholeMs = 10_000

export interface TendContext extends FillContext {
  log: Log
}

/**
 * Gives an agent's container what it lacks of its memory and skills, before it is asked something. Where that fails it
 * is asked all the same: better an answer that knows less than none. The failure is logged, and the next check mends it.
 * @returns the agent as it is then
 */
export async function ensureFilled(ctx: TendContext, agent: Agent): Promise<Agent> {
  if (isFilled(agent)) return agent
  const signals = [AbortSignal.timeout(wholeMs), ...(ctx.signal === undefined ? [] : [ctx.signal])]
  try {
    return await fillWorkspace({ ...ctx, patience, signal: AbortSignal.any(signals) }, agent)
  } catch (error) {
    ctx.log.warn('the workspace was not given', { agentId: agent.id, error })
    return agent
  }
}
