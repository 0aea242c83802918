import type { Agent } from '#shared/agents/record/agent.ts'
import {
  isAwaited,
  isRunning,
  notRunning,
  type RunningAgent,
} from '#shared/agents/record/running.ts'
import { awaitRunning } from './await-running.ts'
import type { ActivityContext, Waiting } from './context.ts'
import { holdLease, renewEveryMs } from './lease.ts'
import { wakeAgent } from './wake.ts'

/** Work with an agent. Until this object is disposed of, the agent does not fall asleep. */
export interface Activity extends Disposable {
  agent: RunningAgent
  /** The wake-up time in milliseconds. 0 if the agent was awake. */
  wokenMs: number
}

/**
 * Begins work with an agent: wakes it if it is asleep, waits until it runs, and then keeps it awake. Use it as `using
 * activity = await beginActivity(…)`.
 * @throws PlatformError 409 AGENT_NOT_RUNNING or STOPPED_BY_OPERATOR, 402 if it sleeps and its owner's plan has ended,
 * 504 AGENT_TIMEOUT, 503 while KILL_SWITCH is on, 404 if it is deleted
 */
export async function beginActivity(ctx: ActivityContext, waiting: Waiting): Promise<Activity> {
  const { agent } = waiting
  const began = Date.now()
  const deadline = began + waiting.timeoutMs
  let current = agent
  // The agent can fall asleep between the read and the lease.
  for (;;) {
    if (isAwaited(current)) {
      const woken = await wakeAgent(ctx, { agent: current })
      current = await awaitRunning(ctx, {
        ...waiting,
        agent: woken,
        timeoutMs: deadline - Date.now(),
      })
    }
    if (!isRunning(current)) throw notRunning(current)
    const leased = await holdLease(ctx, { agent: current, forMs: waiting.holdMs })
    if (isRunning(leased)) return keep(ctx, leased, isAwaited(agent) ? Date.now() - began : 0)
    current = leased
  }
}

function keep(ctx: ActivityContext, agent: RunningAgent, wokenMs: number): Activity {
  let leased: Agent = agent
  const timer = setInterval(() => {
    holdLease(ctx, { agent: leased }).then(
      (renewed) => void (leased = renewed),
      // A failed renewal is ignored: the lease has time left for another attempt, and a deleted agent needs no lease.
      () => undefined,
    )
  }, renewEveryMs)
  timer.unref()
  return { agent, wokenMs, [Symbol.dispose]: () => clearInterval(timer) }
}
