import type { Queues } from '#shared/platform/queues/port.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { deliveryWork } from './work.ts'

export interface BusTickContext {
  table: Table
  queues: Queues<'bus-deliveries'>
}

/**
 * Requests the next attempt of each message whose last one was interrupted, or whose delayed message was lost.
 * @returns the number of messages
 */
export async function tickDeliveries(
  ctx: BusTickContext,
  now = Date.now(),
): Promise<{ resent: number }> {
  return { resent: await deliveryWork.tick(ctx, now) }
}
