import { tickEntitlements } from '#shared/accounts/entitlements/tick.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'
import type { TickOf } from '../common/tick.ts'

/** Every 15 minutes: finds users whose entitlements are due for a check. */
export const tick: TickOf<typeof wire> = (ctx) => tickEntitlements(ctx)

export function wire(config: ConfigOf<'entitlements-due'>) {
  return { services: { table: openTable(config) } }
}
