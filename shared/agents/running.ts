import type { Address } from '../platform/containers/port.ts'
import { subscriptionRequired } from '../plans/subscriptions.ts'
import { PlatformError } from '../platform/errors.ts'
import type { Agent } from './agent.ts'
import { stoppedByOperator } from './permit.ts'

/** An agent that can be spoken to. */
export type RunningAgent = Agent & { address: Address }

export function isRunning(agent: Agent): agent is RunningAgent {
  return agent.status === 'running' && agent.address !== undefined && !agent.deleting
}

/** It is asleep or just waking: a caller that wants something of it waits instead of being refused. */
export function isAwaited({ asleep, waking, status }: Agent): boolean {
  return asleep === true || (waking === true && status === 'provisioning')
}

/** Why an agent has stopped whose owner's plan has ended. */
export const planEnded = 'PlanEnded'

/**
 * 409 AGENT_NOT_RUNNING: contract.md 7, Chat; STOPPED_BY_OPERATOR where its owner cannot change that, and 402
 * SUBSCRIPTION_REQUIRED where the end of their plan has stopped it, as where it would only have to wake.
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
