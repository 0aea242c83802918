import { ifUnchanged } from '#shared/platform/table/if-unchanged.ts'
import type { Condition, Table } from '#shared/platform/table/port.ts'
import { type ProviderSubscription, providerSubscriptionRows } from '../rows.ts'

/** Returns the stored state of a subscription at the provider. */
export async function findSubscription(
  table: Table,
  id: string,
): Promise<ProviderSubscription | undefined> {
  return providerSubscriptionRows.find(table, { id })
}

/** The condition that a subscription has not changed since it was read. */
export function ifSubscriptionUnchanged(
  row: ProviderSubscription | undefined,
): Required<Condition> {
  const { seen, priced, disputes, payments, refunds, named } = row ?? {}
  return ifUnchanged({ seen, priced, disputes, payments, refunds, named })
}
