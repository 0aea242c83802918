import type { Context } from '#shared/platform/identity/context.ts'
import type { ReachContext } from '../agent-gateway/gateway.ts'
import type { Agent } from '../record/agent.ts'
import { isSynced } from '../record/workspace-state.ts'
import { pushWorkspace } from './push.ts'

/** The caller waits for this in addition to its request. */
const timeouts = { idleMs: 3000, totalMs: 5000 }
const totalMs = 10_000

/**
 * Updates a container's memory and skills before a request. If that fails, the request is sent anyway: an answer with
 * less knowledge is better than none. The failure is logged, and the next check retries.
 * @returns the current agent
 */
export async function ensurePushed(
  ctx: Pick<Context, 'table' | 'log'> & ReachContext,
  { agent }: { agent: Agent },
): Promise<Agent> {
  if (isSynced(agent)) return agent
  const signals = [AbortSignal.timeout(totalMs), ...(ctx.signal === undefined ? [] : [ctx.signal])]
  try {
    return await pushWorkspace({ ...ctx, timeouts, signal: AbortSignal.any(signals) }, { agent })
  } catch (error) {
    ctx.log.warn('the workspace was not sent', { agentId: agent.id, error })
    return agent
  }
}
