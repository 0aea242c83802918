import { tick as tickWatchdog } from '../../shared/fleet/watchdog/tick.ts'
import type { ConfigOf } from '../../shared/platform/config/granted.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import type { TickOf } from '../common/tick.ts'

/** Every minute: finds the agents that something is due for. */
export const tick: TickOf<typeof wire> = (ctx) => tickWatchdog(ctx)

export function wire(config: ConfigOf<'watchdog'>) {
  return { services: { table: openTable(config) } }
}
