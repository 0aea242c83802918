import type { UserContext } from '../identity/context.ts'
import { deliveryRows } from '../outbound-webhooks/rows.ts'
import { userStore } from '../platform/table/user-store.ts'
import { requireEndpoint } from './find.ts'
import type { DeliveryView } from './schema.ts'

/** contract.md 11. */
const shown = 100

/** The last deliveries to an endpoint, newest first. @throws PlatformError 404 */
export async function listDeliveries(
  { table, actor }: Pick<UserContext, 'table' | 'actor'>,
  { id: endpointId }: { id: string },
): Promise<DeliveryView[]> {
  const store = userStore(table, actor.user.id)
  await requireEndpoint(store, endpointId)
  const { items } = await store.query({
    beginsWith: deliveryRows.prefix({ endpointId }),
    descending: true,
    limit: shown,
  })
  return items.map(deliveryRows.parse)
}
