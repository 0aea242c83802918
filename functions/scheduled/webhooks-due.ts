import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { tickWebhooks } from '#shared/tools/webhook-endpoints/delivery/tick.ts'
import type { TickOf } from '../common/tick.ts'

/** Every minute: finds events with pending webhook deliveries. */
export const tick: TickOf<typeof wire> = (ctx) => tickWebhooks(ctx)

export function wire(config: ConfigOf<'webhooks-due'>) {
  return { services: { table: openTable(config) } }
}
