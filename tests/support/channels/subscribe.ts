import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'

/** Gives a user a plan with storage, or ends it. */
export async function subscribe(
  table: Table,
  userId: string,
  status: 'active' | 'canceled' = 'active',
): Promise<void> {
  const subscription = { id: null, status, customerId: null }
  await userStore(table, userId).update('profile', { set: { plan: 'solo', subscription } })
}
