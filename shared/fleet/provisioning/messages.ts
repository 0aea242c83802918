import type { Queues } from '../../platform/queues/port.ts'
import { type Agent, liveTasks } from '../../agents/agent.ts'
import { provisioning } from './topic.ts'

type Named = Pick<Agent, 'id' | 'userId' | 'generation'>

interface StartOptions {
  reason?: string | undefined
  /** How often it has found the task before this one still ending. */
  polls?: number | undefined
  delaySeconds?: number
}

/** Asks for the task of an agent's present generation. */
export async function sendStart(
  queues: Queues<'provisioning'>,
  agent: Named,
  { reason = 'start', polls, delaySeconds = 0 }: StartOptions = {},
): Promise<void> {
  const { id: agentId, userId, generation } = agent
  const named = { kind: 'start' as const, userId, agentId, generation, reason }
  const message = { ...named, ...(polls !== undefined && { polls }) }
  await queues.send(provisioning, message, { delaySeconds })
}

/** Asks for the end of a task that its agent does not want. */
export async function sendStop(
  queues: Queues<'provisioning'>,
  agent: Named,
  taskArn: string,
): Promise<void> {
  const { id: agentId, userId, generation } = agent
  await queues.send(provisioning, { kind: 'stop', userId, agentId, generation, taskArn })
}

/** Asks for the end of every task that an agent may still have. */
export async function sendStops(queues: Queues<'provisioning'>, agent: Agent): Promise<void> {
  for (const taskArn of liveTasks(agent)) await sendStop(queues, agent, taskArn)
}

/** Asks for the removal of a deleted agent's tasks and data. */
export async function sendDelete(
  queues: Queues<'provisioning'>,
  agent: Named,
  delaySeconds = 0,
): Promise<void> {
  const message = { kind: 'delete' as const, userId: agent.userId, agentId: agent.id }
  await queues.send(provisioning, message, { delaySeconds })
}

/** SQS's longest delay, and longer than any request lives that knew the agent. */
const sweepDelaySeconds = 900

/** Asks for another look at a deleted agent's data, once no request can still be writing. */
export async function sendSweep(
  queues: Queues<'provisioning'>,
  agent: Pick<Named, 'id' | 'userId'>,
): Promise<void> {
  const message = { kind: 'sweep' as const, userId: agent.userId, agentId: agent.id }
  await queues.send(provisioning, message, { delaySeconds: sweepDelaySeconds })
}
