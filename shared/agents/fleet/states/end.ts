import type { Agent } from '#shared/agents/record/agent.ts'
import { nextStatus } from '#shared/agents/record/status.ts'

/** Returns the agent as stopped. Its key is invalid from now on; its task must still be stopped. */
export function stopped(agent: Agent): Agent {
  return {
    ...agent,
    status: nextStatus(agent.status, 'stop') ?? agent.status,
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

/** Returns the agent as failed: it does not start again without a person. */
export function asFailed(agent: Agent, stopReason: Agent['stopReason']): Agent {
  const ended = stopped(agent)
  return { ...ended, status: nextStatus(agent.status, 'fail') ?? ended.status, stopReason }
}
