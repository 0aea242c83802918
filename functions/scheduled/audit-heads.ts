import { publishHeads } from '#shared/accounts/audit/publish.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'
import type { Tick } from '../common/tick.ts'
import type { ServicesOf } from '../common/wire.ts'

/** Every hour: writes the last entry of each audit chain to the log. */
export const tick: Tick<ServicesOf<typeof wire>> = (ctx) => publishHeads(ctx)

export function wire(config: ConfigOf<'audit-heads'>) {
  return { services: { table: openTable(config) } }
}
