import type { Can, Sends } from '#shared/platform/identity/capabilities.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import {
  deliveryWrite,
  firstTry,
  newDelivery,
  newMessage,
} from '#shared/signals/outbound-webhooks/emit.ts'
import { webhookDeliveries } from '#shared/signals/outbound-webhooks/topic.ts'
import { viewOf } from './deliveries.ts'
import { requireEndpoint } from './find.ts'
import { requireEnabled } from './redeliver.ts'
import type { DeliveryView } from './schema.ts'

/**
 * Sends a `ping` event to an endpoint, even if the endpoint does not subscribe to it.
 * @throws PlatformError 404, 409 for a disabled endpoint
 */
export async function pingEndpoint(
  ctx: UserContext & Sends<'webhook-deliveries'> & Can<'encryptionKey' | 'guard'>,
  { id: endpointId }: { id: string },
): Promise<DeliveryView> {
  const { owner } = ctx
  requireEnabled(await requireEndpoint(userStore(ctx.table, owner), endpointId))
  const now = Date.now()
  const message = newMessage({ type: 'ping', data: { endpointId } }, now)
  const delivery = newDelivery({ userId: owner, endpointId, ...message }, now)
  await ctx.table.transact([deliveryWrite(delivery, now)])
  await ctx.queues.send(webhookDeliveries, firstTry(delivery))
  return viewOf(delivery)
}
