import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { deliveryWork } from './work.ts'

/**
 * Requests the next attempt of each message whose last one was interrupted, or whose delayed message was lost.
 * @returns the number of messages
 */
export async function tickDeliveries(
  ctx: Pick<Context, 'table'> & Sends<'bus-deliveries'>,
  now = Date.now(),
): Promise<{ resent: number }> {
  return { resent: await deliveryWork.tick(ctx, now) }
}
