import { publishHeads } from '#shared/accounts/audit/publish.ts'
import { addUpDays } from '#shared/ai/usage/platform-days/add-up.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { figuresOf, type Tick } from '../common/tick.ts'
import type { ServicesOf } from '../common/wire.ts'

/**
 * Every hour: writes the last entry of each audit chain to the log, and adds up the usage of all users for each
 * finished day that has no sum yet.
 */
export const tick: Tick<ServicesOf<typeof wire>> = (ctx) =>
  figuresOf(publishHeads(ctx), addUpDays(ctx))

export function wire(config: ConfigOf<'maintenance'>) {
  return { services: { table: openTable(config) } }
}
