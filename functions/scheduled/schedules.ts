import { tick as tickSchedules } from '#shared/conversations/scheduled-tasks/tick.ts'
import { tickSplits } from '#shared/network/splits/tick.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { figuresOf, type TickOf } from '../common/tick.ts'

/** Every minute: claims due scheduled tasks and sends their runs, and finds splits whose message was lost. */
export const tick: TickOf<typeof wire> = (ctx) => figuresOf(tickSchedules(ctx), tickSplits(ctx))

export function wire(config: ConfigOf<'schedules'>) {
  return { services: { table: openTable(config) } }
}
