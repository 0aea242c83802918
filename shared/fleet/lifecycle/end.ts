import type { Agent } from '../../agents/agent.ts'
import { moved } from '../../agents/status.ts'

/** The agent as one that is not to run. Its key is void from now on; its task is still to be stopped. */
export function stopped(agent: Agent): Agent {
  return {
    ...agent,
    status: moved(agent.status, 'stop') ?? agent.status,
    desired: 'stopped',
    aiKeyHash: undefined,
    startAttempts: undefined,
    retryAt: undefined,
    startedAt: undefined,
    asleep: undefined,
    waking: undefined,
    startedByOperator: undefined,
    lapsedAt: undefined,
    deletionAt: undefined,
    resumedAt: undefined,
  }
}

/** The agent as one that could not be kept running: it waits for a person. */
export function failed(agent: Agent, stopReason: Agent['stopReason']): Agent {
  const ended = stopped(agent)
  return { ...ended, status: moved(agent.status, 'fail') ?? ended.status, stopReason }
}
