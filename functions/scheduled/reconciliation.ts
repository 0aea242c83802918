import { configuredProvider } from '../../shared/payments/context.ts'
import { reconcile } from '../../shared/payments/reconciliation/reconcile.ts'
import type { ConfigOf } from '../../shared/platform/config/granted.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import type { TickOf } from '../common/tick.ts'

/** Every day: compares what the payment provider says with what users hold. */
export const tick: TickOf<typeof wire> = (ctx) => reconcile(ctx)

export function wire(config: ConfigOf<'reconciliation'>) {
  return { services: { table: openTable(config), provider: configuredProvider(config) } }
}
