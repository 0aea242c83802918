import type { Agent } from '../../agents/agent.ts'
import { isOnChannels } from '../../agents/config/channels.ts'
import { planSizes } from '../../manifest/containers.ts'

/**
 * Whether an agent's start asks for spare capacity: by its plan (planSizes), unless there was none for this start. Nobody
 * reaches an agent on a chat service while its task is replaced, so AWS is not to take that task back.
 */
export function asksForSpot(agent: Agent): boolean {
  const size = planSizes.find(({ plan }) => plan === agent.plan)
  return size?.spot === true && agent.onDemand === undefined && !isOnChannels(agent)
}
