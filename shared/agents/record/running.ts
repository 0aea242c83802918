import { subscriptionRequired } from '#shared/money/plans/subscriptions.ts'
import type { Address } from '#shared/platform/containers/port.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Agent } from './agent.ts'
import { stoppedByOperator } from './permit.ts'

/** An agent that can receive requests. */
export type RunningAgent = Agent & { address: Address }

export function isRunning(agent: Agent): agent is RunningAgent {
  return agent.status === 'running' && agent.address !== undefined && !agent.deleting
}

/** Returns whether an agent is asleep or waking up, so that a caller waits instead of getting an error. */
export function isAwaited({ asleep, waking, status }: Agent): boolean {
  return asleep === true || (waking === true && status === 'provisioning')
}

/** The stop reason of an agent whose owner's plan has ended. */
export const planEnded = 'PlanEnded'

/**
 * Returns 409 AGENT_NOT_RUNNING (contract.md 7, Chat); STOPPED_BY_OPERATOR if its owner cannot start it, and 402
 * SUBSCRIPTION_REQUIRED if the end of their plan has stopped it, even if it would only have to wake up.
 */
export function notRunning(agent: Agent): PlatformError {
  if (agent.stoppedByOperator) return stoppedByOperator(agent)
  if (agent.lapsedAt !== undefined && agent.stopReason?.code === planEnded)
    return subscriptionRequired()
  const { status } = agent
  return new PlatformError('conflict', 'The agent is not running', {
    code: 'AGENT_NOT_RUNNING',
    details: { status },
  })
}
