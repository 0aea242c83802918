import { PlatformError } from '#shared/platform/errors.ts'
import type { Can, Sends } from '#shared/platform/identity/capabilities.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { deliveryWrite, firstTry, newDelivery } from '#shared/signals/outbound-webhooks/emit.ts'
import type { WebhookEndpoint } from '#shared/signals/outbound-webhooks/rows.ts'
import { webhookDeliveries } from '#shared/signals/outbound-webhooks/topic.ts'
import { viewOf } from './deliveries.ts'
import { requireDelivery, requireEndpoint } from './find.ts'
import type { DeliveryView } from './schema.ts'

/**
 * Sends an event again, as a new delivery with the body and `webhook-id` of the first.
 * @throws PlatformError 404, 409 for a disabled endpoint
 */
export async function redeliver(
  ctx: UserContext & Sends<'webhook-deliveries'> & Can<'encryptionKey' | 'guard'>,
  { id: endpointId, deliveryId }: { id: string; deliveryId: string },
): Promise<DeliveryView> {
  const { owner } = ctx
  const store = userStore(ctx.table, owner)
  requireEnabled(await requireEndpoint(store, endpointId))
  const { messageId, type, newerType, text } = await requireDelivery(store, {
    endpointId,
    deliveryId,
  })
  const now = Date.now()
  const delivery = newDelivery(
    { userId: owner, endpointId, messageId, type, text, ...(newerType && { newerType }) },
    now,
  )
  await ctx.table.transact([deliveryWrite(delivery, now)])
  await ctx.queues.send(webhookDeliveries, firstTry(delivery))
  return viewOf(delivery)
}

/** @throws PlatformError 409 */
export function requireEnabled({ disabledAt }: WebhookEndpoint): void {
  if (disabledAt !== undefined)
    throw new PlatformError('conflict', 'The endpoint is disabled; delete it and create another')
}
