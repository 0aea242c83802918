import { type Agent, liveTasks } from '#shared/agents/record/agent.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import { provisioning } from './topic.ts'

type Named = Pick<Agent, 'id' | 'userId' | 'generation'>

interface StartOptions {
  reason?: string | undefined
  /** The number of checks that found the previous task still running. */
  polls?: number | undefined
  delaySeconds?: number
}

/** Sends the start of an agent's current generation. */
export async function sendStart(
  queues: Queues<'provisioning'>,
  agent: Named,
  { reason = 'start', polls, delaySeconds = 0 }: StartOptions = {},
): Promise<void> {
  const { id: agentId, userId, generation } = agent
  const start = { kind: 'start' as const, userId, agentId, generation, reason }
  const message = { ...start, ...(polls !== undefined && { polls }) }
  await queues.send(provisioning, message, { delaySeconds })
}

/** Sends the stop of a task that its agent no longer needs. */
export async function sendStop(
  queues: Queues<'provisioning'>,
  agent: Named,
  taskArn: string,
): Promise<void> {
  const { id: agentId, userId, generation } = agent
  await queues.send(provisioning, { kind: 'stop', userId, agentId, generation, taskArn })
}

/** Sends a stop for every task that an agent may still have. */
export async function sendStops(queues: Queues<'provisioning'>, agent: Agent): Promise<void> {
  for (const taskArn of liveTasks(agent)) await sendStop(queues, agent, taskArn)
}

/** Sends the removal of a deleted agent's tasks and data. */
export async function sendDelete(
  queues: Queues<'provisioning'>,
  agent: Named,
  delaySeconds = 0,
): Promise<void> {
  const message = { kind: 'delete' as const, userId: agent.userId, agentId: agent.id }
  await queues.send(provisioning, message, { delaySeconds })
}

/** SQS's maximum delay, which is longer than any request that has read the agent before its deletion. */
const sweepDelaySeconds = 900

/** Sends another removal of a deleted agent's data, after all earlier requests have ended. */
export async function sendSweep(
  queues: Queues<'provisioning'>,
  agent: Pick<Named, 'id' | 'userId'>,
): Promise<void> {
  const message = { kind: 'sweep' as const, userId: agent.userId, agentId: agent.id }
  await queues.send(provisioning, message, { delaySeconds: sweepDelaySeconds })
}
