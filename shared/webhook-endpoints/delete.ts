import { userRows } from '../accounts/rows.ts'
import type { UserContext } from '../identity/context.ts'
import { endpointRows } from '../outbound-webhooks/rows.ts'
import { notFound } from '../platform/errors.ts'
import { commit } from '../platform/table/commit.ts'
import { userStore } from '../platform/table/user-store.ts'

/**
 * Deletes an endpoint: it receives no further tries.
 * @throws PlatformError 404
 */
export async function deleteEndpoint(
  { table, actor }: Pick<UserContext, 'table' | 'actor'>,
  { id: endpointId }: { id: string },
): Promise<void> {
  const { write } = userStore(table, actor.user.id)
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
