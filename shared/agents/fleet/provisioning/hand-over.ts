import type { Agent } from '#shared/agents/record/agent.ts'
import type { RunRequest } from '#shared/platform/containers/port.ts'
import type { StartMessage } from '../requests/topic.ts'
import { decideOnOwnTask, canAssignWarm, assignWarm } from '../warm-pool/assign.ts'
import { handOvers } from '../warm-pool/topic.ts'
import type { ProvisioningContext } from './context.ts'

/**
 * Assigns a warm container to an agent, if one is available, and sends a message to notify the container. If the
 * message is lost, the container finds out with its next poll.
 * @returns whether the agent needs no task of its own
 */
export async function handOverWarm(
  ctx: ProvisioningContext,
  agent: Agent,
  request: RunRequest,
  now: number,
): Promise<boolean> {
  if (!ctx.config.WARM_CONTAINERS?.[agent.plan]) return false
  const may = canAssignWarm(agent, request)
  const { config } = ctx
  const assigned = may ? await assignWarm(ctx, { agent, request, config }, now) : undefined
  const getsOwn = assigned === undefined && (await decideOnOwnTask(ctx, agent))
  if (may && (assigned !== undefined || getsOwn)) logStart(ctx, agent, assigned !== undefined)
  if (assigned !== undefined) await sendHandOver(ctx, assigned)
  return !getsOwn
}

function logStart({ log }: ProvisioningContext, { id, plan }: Agent, warm: boolean): void {
  log.info(
    'warm start',
    { agentId: id, plan, warm },
    { by: [['function']], of: { WarmStarts: [warm ? 1 : 0, 'Count'] } },
  )
}

/** Sends the hand-over message again, if the process ended before it was sent and the start message was redelivered. */
export async function handOverAgain(
  ctx: ProvisioningContext,
  { generation }: StartMessage,
  agent: Agent | undefined,
): Promise<void> {
  if (agent?.generation !== generation || !ctx.config.WARM_CONTAINERS?.[agent.plan]) return
  const { status, taskStatus, bootstrap } = agent
  const waits = status === 'provisioning' && taskStatus === 'RUNNING' && bootstrap?.by === undefined
  if (waits) await sendHandOver(ctx, agent)
}

async function sendHandOver({ queues }: ProvisioningContext, agent: Agent): Promise<void> {
  const { id: agentId, userId, generation } = agent
  await queues.send(handOvers, { agentId, userId, generation })
}
