import { userRows } from '#shared/accounts/users/rows.ts'
import { notFound } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { commit } from '#shared/platform/table/commit.ts'
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
  const { write } = userStore(table, owner)
  const gone = () => notFound('Webhook endpoint')
  await commit(
    table,
    {
      endpoint: write.delete(endpointRows.sk({ endpointId }), { if: 'attribute_exists(pk)' }),
      count: write.update(userRows.sk({}), {
        add: { [endpointRows.count]: -1 },
        if: 'attribute_exists(pk)',
      }),
    },
    { endpoint: gone, count: gone },
  )
}
