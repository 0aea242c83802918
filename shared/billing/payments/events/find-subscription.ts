import type { Table } from '#shared/platform/table/port.ts'
import { type ProviderSubscription, providerSubscriptionRows } from '../rows.ts'

/** Returns the stored state of a subscription at the provider. */
export async function findSubscription(
  table: Table,
  id: string,
): Promise<ProviderSubscription | undefined> {
  return providerSubscriptionRows.find(table, { id })
}
