import type { UserContext } from '#shared/platform/identity/context.ts'
import { newestPage, type ListPage, type PageQuery } from '#shared/platform/table/pages.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { deliveryRows, type WebhookDelivery } from '#shared/signals/outbound-webhooks/rows.ts'
import { typeOf } from '#shared/signals/outbound-webhooks/types.ts'
import { requireEndpoint } from './find.ts'
import type { DeliveryView } from './schema.ts'

/** Returns the last deliveries to an endpoint, newest first. @throws PlatformError 404 */
export async function listDeliveries(
  { table, owner }: Pick<UserContext, 'table' | 'owner'>,
  { id: endpointId, limit, cursor }: PageQuery & { id: string },
): Promise<ListPage<DeliveryView>> {
  const store = userStore(table, owner)
  await requireEndpoint(store, endpointId)
  const beginsWith = deliveryRows.prefix({ endpointId })
  const { items, next } = await newestPage(store, { beginsWith, limit, cursor })
  return { items: items.map((item) => viewOf(deliveryRows.parse(item))), next }
}

/** Returns a delivery as its user sees it. */
export function viewOf(delivery: WebhookDelivery): DeliveryView {
  return { ...delivery, type: typeOf(delivery) }
}
