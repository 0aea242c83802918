import { notFound } from '#shared/platform/errors.ts'
import type { UserStore } from '#shared/platform/table/user-store.ts'
import {
  deliveryRows,
  endpointRows,
  type WebhookDelivery,
  type WebhookEndpoint,
} from '#shared/signals/outbound-webhooks/rows.ts'

/** @throws PlatformError 404 */
export async function requireEndpoint(
  store: UserStore,
  endpointId: string,
): Promise<WebhookEndpoint> {
  const item = await store.get(endpointRows.sk({ endpointId }))
  if (item === undefined) throw notFound('Webhook endpoint')
  return endpointRows.parse(item)
}

/** @throws PlatformError 404 */
export async function requireDelivery(
  store: UserStore,
  { endpointId, deliveryId }: { endpointId: string; deliveryId: string },
): Promise<WebhookDelivery> {
  const item = await store.get(deliveryRows.sk({ endpointId, deliveryId }))
  if (item === undefined) throw notFound('Delivery')
  return deliveryRows.parse(item)
}
