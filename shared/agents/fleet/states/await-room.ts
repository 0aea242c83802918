import type { Agent } from '#shared/agents/record/agent.ts'
import { hashes, hashOf } from '#shared/platform/table/shard.ts'
import { noCapacity } from './stop-reason.ts'

/**
 * Returns the seconds until the next request to a full cluster: 10, 20, 40, … up to three minutes, so that an agent
 * runs within five minutes once there is capacity. A hash of the agent's id and its attempts reduces the delay by up to
 * half, so that agents that were refused together do not retry together.
 */
export function capacityDelay(agentId: string, attempts: number): number {
  const longest = Math.min(180, 5 * 2 ** attempts)
  const share = hashOf(`${attempts}#${agentId}`) / hashes
  return Math.ceil((longest * (1 + share)) / 2)
}

/** Returns the agent as waiting for capacity, with the next attempt at `retryAt`. */
export function awaitingRoom(agent: Agent, startAttempts: number, why: string, now: number): Agent {
  return {
    ...agent,
    startAttempts,
    retryAt: now + capacityDelay(agent.id, startAttempts) * 1000,
    stopReason: noCapacity(why, now),
  }
}
