import type { Agent } from '../../agents/agent.ts'
import { noCapacity } from '../tasks/stop-reason.ts'

/**
 * Seconds before the cluster is asked again: 10, 20, 40, … up to four minutes, so that an agent runs within five once
 * the cluster can take it.
 */
export function capacityDelay(attempts: number): number {
  return Math.min(240, 5 * 2 ** attempts)
}

/** The agent as one that the cluster cannot take yet, and that is to be asked for again at `retryAt`. */
export function awaitingRoom(agent: Agent, startAttempts: number, why: string, now: number): Agent {
  return {
    ...agent,
    startAttempts,
    retryAt: now + capacityDelay(startAttempts) * 1000,
    stopReason: noCapacity(why, now),
  }
}
