import { configuredProvider } from '../../shared/payments/context.ts'
import { checkBalances } from '../../shared/payments/reconciliation/balances.ts'
import { reconcile } from '../../shared/payments/reconciliation/reconcile.ts'
import type { ConfigOf } from '../../shared/platform/config/granted.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import type { TickOf } from '../common/tick.ts'

/** Every day: adds up the ledgers of credits, and compares what the payment provider says with what users hold. */
export const tick: TickOf<typeof wire> = async (ctx) => {
  // First what asks no other service, so that a provider that is down hides none of it.
  const balances = await checkBalances(ctx)
  return { ...balances, ...(await reconcile(ctx)) }
}

export function wire(config: ConfigOf<'reconciliation'>) {
  return { services: { table: openTable(config), provider: configuredProvider(config) } }
}
