import type { Agent } from '#shared/agents/record/agent.ts'
import { hasOwnBot } from '#shared/agents/record/config/channels.ts'
import { planSizes } from '#shared/manifest/containers.ts'

/**
 * Returns whether an agent's start requests Spot capacity: if its plan does (planSizes), unless this start found no
 * Spot capacity. A bot in the container is unreachable while its task is replaced, so AWS must not be able to
 * reclaim its task.
 */
export function asksForSpot(agent: Agent): boolean {
  const size = planSizes.find(({ plan }) => plan === agent.plan)
  return size?.spot === true && agent.onDemand === undefined && !hasOwnBot(agent)
}
