import { userCount } from '#shared/accounts/users/counter.ts'
import { notFound } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { deleteCounted } from '#shared/platform/table/delete-counted.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { endpointRows } from '#shared/signals/outbound-webhooks/rows.ts'

/**
 * Deletes an endpoint: it receives no more deliveries.
 * @throws PlatformError 404
 */
export async function deleteEndpoint(
  { table, owner }: Pick<UserContext, 'table' | 'owner'>,
  { id: endpointId }: { id: string },
): Promise<void> {
  const isDeleted = await deleteCounted(userStore(table, owner), {
    delete: endpointRows.key({ userId: owner, endpointId }),
    count: userCount(owner, endpointRows),
  })
  if (!isDeleted) throw notFound('Webhook endpoint')
}
