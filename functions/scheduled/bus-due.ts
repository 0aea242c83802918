import { tickDeliveries } from '#shared/network/bus/delivery/tick.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'
import type { TickOf } from '../common/tick.ts'

/** Every minute: finds messages between agents with pending deliveries. */
export const tick: TickOf<typeof wire> = (ctx) => tickDeliveries(ctx)

export function wire(config: ConfigOf<'bus-due'>) {
  return { services: { table: openTable(config) } }
}
