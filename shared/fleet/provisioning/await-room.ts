import { hashes, hashOf } from '../../platform/table/shard.ts'
import type { Agent } from '../../agents/agent.ts'
import { noCapacity } from '../tasks/stop-reason.ts'

/**
 * Seconds before the cluster is asked again: 10, 20, 40, … up to three minutes, so that an agent runs within five once
 * the cluster can take it. An agent waits for half of that time to all of it. Its id and the number of its try decide how
 * long, so that agents that were refused together do not come back together.
 */
export function capacityDelay(agentId: string, attempts: number): number {
  const longest = Math.min(180, 5 * 2 ** attempts)
  const share = hashOf(`${attempts}#${agentId}`) / hashes
  return Math.ceil((longest * (1 + share)) / 2)
}

/** The agent as one that the cluster cannot take yet, and that is to be asked for again at `retryAt`. */
export function awaitingRoom(agent: Agent, startAttempts: number, why: string, now: number): Agent {
  return {
    ...agent,
    startAttempts,
    retryAt: now + capacityDelay(agent.id, startAttempts) * 1000,
    stopReason: noCapacity(why, now),
  }
}
