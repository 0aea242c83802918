import { notFound } from '../../platform/errors.ts'
import type { Agent } from '../agent.ts'
import { changeAgent } from '../change.ts'
import type { AgentContext } from '../context.ts'
import { sendStart } from '../provisioning/messages.ts'
import { moved } from '../status.ts'

/** The agent as one that is to start anew; its task, if it still has one, must end first. */
export function nextGeneration(agent: Agent): Agent {
  const leftBehind = agent.taskStatus === 'STOPPED' ? undefined : agent.taskArn
  return {
    ...agent,
    status: moved(agent.status, 'start') ?? agent.status,
    desired: 'running',
    generation: agent.generation + 1,
    previousTaskArn: leftBehind ?? agent.previousTaskArn,
    formerTaskArn: agent.taskArn ?? agent.formerTaskArn,
    taskArn: undefined,
    taskStatus: undefined,
    taskHealth: undefined,
    taskVersion: undefined,
    address: undefined,
    aiKeyHash: undefined,
    startAttempts: undefined,
    retryAt: undefined,
    startedAt: undefined,
    asleep: undefined,
    waking: undefined,
  }
}

/** Who or what wants the start. */
export type StartReason = 'start' | 'restart' | 'repair' | 'deploy' | 'watchdog' | 'ground-lost'

/**
 * Starts an agent anew, whatever it does now: a new generation is stored, then asked for. Two calls that saw the same
 * generation start one: the second finds it moved, and asks again for what is there.
 *
 * @param agent as the caller saw it
 * @param change further changes for the same write, pure
 * @throws PlatformError 404 where it is deleted meanwhile
 */
export async function startGeneration(
  { table, queues }: AgentContext,
  agent: Agent,
  reason: StartReason,
  change: (next: Agent) => Agent = (next) => next,
): Promise<Agent> {
  const stored = await changeAgent(table, agent, (current) =>
    current.generation !== agent.generation || current.deleting
      ? current
      : change(nextGeneration(current)),
  )
  if (stored === undefined || stored.deleting) throw notFound('Agent')
  if (stored.desired === 'running') await sendStart(queues, stored, { reason })
  return stored
}
