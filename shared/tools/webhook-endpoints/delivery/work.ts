import { counter } from '#shared/platform/work/fence.ts'
import { workItems } from '#shared/platform/work/items.ts'
import {
  deliveryRows,
  type WebhookDelivery,
  webhooksDue,
} from '#shared/signals/outbound-webhooks/rows.ts'
import { webhookDeliveries } from '#shared/signals/outbound-webhooks/topic.ts'

/** The tries of a delivery. A try whose process died counts. */
export const deliveryWork = workItems({
  rows: deliveryRows,
  key: ({ userId, endpointId, id }: WebhookDelivery) =>
    deliveryRows.key({ userId, endpointId, deliveryId: id }),
  id: ({ id }) => id,
  due: webhooksDue,
  fence: counter('attempts', ({ attempts }: WebhookDelivery) => attempts),
  topic: webhookDeliveries,
  message: ({ userId, endpointId, id, attempts }) => ({
    userId,
    endpointId,
    delivery: { id, attempt: attempts + 1 },
  }),
  // Longer than a try takes.
  leaseMs: 30_000,
  lostMs: 30_000,
})
