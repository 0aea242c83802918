import type { Address } from '../../platform/containers/port.ts'
import { PlatformError } from '../../platform/errors.ts'
import type { Agent } from '../agent.ts'

/** An agent that can be spoken to. */
export type RunningAgent = Agent & { address: Address }

export function isRunning(agent: Agent): agent is RunningAgent {
  return agent.status === 'running' && agent.address !== undefined && !agent.deleting
}

/** It is asleep or just waking: whoever wants something of it waits instead of being refused. */
export function isAwaited({ asleep, waking, status }: Agent): boolean {
  return asleep === true || (waking === true && status === 'provisioning')
}

/** 409 AGENT_NOT_RUNNING: contract.md 7, Chat. */
export function notRunning({ status }: Agent): PlatformError {
  return new PlatformError('conflict', 'The agent is not running', {
    code: 'AGENT_NOT_RUNNING',
    details: { status },
  })
}
