import { CapacityUnavailable } from '#shared/platform/containers/port.ts'
import { provisioning, type ProvisioningMessage } from '../requests/topic.ts'
import { capacityDelay } from '../states/await-room.ts'
import { observeTask } from '../task-states/observe.ts'
import type { ProvisioningContext } from './context.ts'
import { purgeAgent, sweepAgent } from './purge.ts'
import { startTask } from './start.ts'
import { stopTask } from './stop.ts'

/**
 * Handles one message of the provisioning queue. It can be late, repeated and out of order. If the cluster has no
 * capacity, the message is sent again with growing delays, because the queue's own retries would soon be used up.
 */
export async function consumeProvisioning(
  ctx: ProvisioningContext,
  message: ProvisioningMessage,
): Promise<void> {
  try {
    await consume(ctx, message)
  } catch (error) {
    if (!(error instanceof CapacityUnavailable)) throw error
    const { kind, agentId } = message
    const attempts = (message.attempts ?? 0) + 1
    ctx.log.warn('postponed: the cluster accepts no requests', { kind, agentId, attempts, error })
    const delaySeconds = capacityDelay(agentId, attempts)
    await ctx.queues.send(provisioning, { ...message, attempts }, { delaySeconds })
  }
}

async function consume(ctx: ProvisioningContext, message: ProvisioningMessage): Promise<void> {
  if (message.kind === 'start') return startTask(ctx, message)
  if (message.kind === 'stop') return stopTask(ctx, message)
  if (message.kind === 'observe') return observeTask(ctx, message)
  if (message.kind === 'sweep') return sweepAgent(ctx, message)
  return purgeAgent(ctx, message)
}
