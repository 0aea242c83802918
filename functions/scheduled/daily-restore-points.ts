import { askForDaily } from '#shared/conversations/restore-points/daily.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'
import type { TickOf } from '../common/tick.ts'

/** Every hour: requests the daily restore point of each agent that has none yet. */
export const tick: TickOf<typeof wire> = (ctx) => askForDaily(ctx)

export function wire(config: ConfigOf<'daily-restore-points'>) {
  return { services: { table: openTable(config) } }
}
