import type { Agent } from '#shared/agents/record/agent.ts'
import { nextStatus } from '#shared/agents/record/status.ts'

/** Returns the agent with a new generation to start. Its current task, if any, must end first. */
export function nextGeneration(agent: Agent): Agent {
  const leftBehind = agent.taskStatus === 'STOPPED' ? undefined : agent.taskArn
  return {
    ...agent,
    status: nextStatus(agent.status, 'start') ?? agent.status,
    desired: 'running',
    generation: agent.generation + 1,
    previousTaskArn: leftBehind ?? agent.previousTaskArn,
    taskArn: undefined,
    taskStatus: undefined,
    taskHealth: undefined,
    taskVersion: undefined,
    leaving: undefined,
    seenUp: undefined,
    address: undefined,
    aiKeyHash: undefined,
    onDemand: undefined,
    startAttempts: undefined,
    retryAt: undefined,
    startedAt: undefined,
    asleep: undefined,
    waking: undefined,
    stoppedByOperator: undefined,
    lapsedAt: undefined,
    deletionAt: undefined,
  }
}
