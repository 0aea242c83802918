import { addUpDays } from '#shared/ai/usage/platform-days/add-up.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'
import type { TickOf } from '../common/tick.ts'

/** Every night: adds up the usage of all users per finished day, for views of the whole platform. */
export const tick: TickOf<typeof wire> = (ctx) => addUpDays(ctx)

export function wire(config: ConfigOf<'usage-days'>) {
  return { services: { table: openTable(config) } }
}
