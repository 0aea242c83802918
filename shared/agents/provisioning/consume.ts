import type { ProvisioningContext } from './context.ts'
import type { ProvisioningMessage } from './schema.ts'
import { observeTask } from './observe.ts'
import { purgeAgent, sweepAgent } from './purge.ts'
import { startTask } from './start.ts'
import { stopTask } from './stop.ts'

/** One message of the provisioning queue; it may come late, twice and in any order. */
export async function consumeProvisioning(
  ctx: ProvisioningContext,
  message: ProvisioningMessage,
): Promise<void> {
  if (message.kind === 'start') return startTask(ctx, message)
  if (message.kind === 'stop') return stopTask(ctx, message)
  if (message.kind === 'observe') return observeTask(ctx, message)
  if (message.kind === 'sweep') return sweepAgent(ctx, message)
  return purgeAgent(ctx, message)
}
