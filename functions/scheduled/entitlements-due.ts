import { tickEntitlements } from '../../shared/entitlements/tick.ts'
import type { ConfigOf } from '../../shared/platform/config/granted.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import type { TickOf } from '../common/tick.ts'

/** Every quarter of an hour: finds the users whose entitlements something is due for. */
export const tick: TickOf<typeof wire> = (ctx) => tickEntitlements(ctx)

export function wire(config: ConfigOf<'entitlements-due'>) {
  return { services: { table: openTable(config) } }
}
