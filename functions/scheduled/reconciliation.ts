import { configuredProvider } from '#shared/billing/payments/context.ts'
import { checkBalances } from '#shared/billing/payments/reconciliation/balances.ts'
import { reconcile } from '#shared/billing/payments/reconciliation/reconcile.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'
import type { TickOf } from '../common/tick.ts'

/**
 * Every day: checks the sums of the credit ledgers, and compares the payment provider's records with users' balances.
 */
export const tick: TickOf<typeof wire> = async (ctx) => {
  // The local check comes first, so that an unavailable provider cannot prevent it.
  const balances = await checkBalances(ctx)
  return { ...balances, ...(await reconcile(ctx)) }
}

export function wire(config: ConfigOf<'reconciliation'>) {
  return { services: { table: openTable(config), provider: configuredProvider(config) } }
}
