import type { Agent } from '../agent.ts'
import { beginActivity } from './begin.ts'
import type { ActivityContext, Waiting } from './context.ts'
import type { RunningAgent } from './running.ts'

/** Long enough for a container that has to be fetched and started. */
const defaultWaiting: Waiting = { timeoutMs: 60_000 }

/**
 * Works with an agent, woken where it is asleep and kept awake until the work ends.
 * @param work is given the agent as it runs then
 * @throws what `beginActivity` and the work throw
 */
export async function withActivity<T>(
  ctx: ActivityContext,
  agent: Agent,
  work: (agent: RunningAgent) => Promise<T>,
  waiting: Waiting = defaultWaiting,
): Promise<T> {
  using activity = await beginActivity(ctx, agent, waiting)
  return await work(activity.agent)
}
