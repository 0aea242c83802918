import { tickSales } from '#shared/conversations/paid-gateway/sales/tick.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'
import type { TickOf } from '../common/tick.ts'

/** Every minute: finishes the sales of agents' answers whose settlement is not recorded. */
export const tick: TickOf<typeof wire> = (ctx) => tickSales(ctx)

export function wire(config: ConfigOf<'sales-due'>) {
  return { services: { table: openTable(config), config } }
}
