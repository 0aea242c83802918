import type { ConfigOf } from '../../shared/platform/config/granted.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { tick as tickSchedules } from '../../shared/scheduled-tasks/tick.ts'
import type { TickOf } from '../common/tick.ts'

/** Every minute: claims the scheduled tasks that are due and sends their runs. */
export const tick: TickOf<typeof wire> = (ctx) => tickSchedules(ctx)

export function wire(config: ConfigOf<'schedules'>) {
  return { services: { table: openTable(config) } }
}
