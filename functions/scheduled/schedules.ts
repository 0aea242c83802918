import { tick as tickSchedules } from '#shared/conversations/scheduled-tasks/tick.ts'
import { tickSplits } from '#shared/network/splits/tick.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'
import type { TickOf } from '../common/tick.ts'

/** Every minute: claims due scheduled tasks and sends their runs, and finds splits whose message was lost. */
export const tick: TickOf<typeof wire> = async (ctx) => {
  // An error of one must not stop the other.
  const [tasks, splits] = await Promise.allSettled([tickSchedules(ctx), tickSplits(ctx)])
  if (tasks.status === 'rejected') throw tasks.reason
  if (splits.status === 'rejected') throw splits.reason
  return { ...tasks.value, ...splits.value }
}

export function wire(config: ConfigOf<'schedules'>) {
  return { services: { table: openTable(config) } }
}
