import { counter } from '#shared/platform/work/fence.ts'
import { workItems } from '#shared/platform/work/items.ts'
import {
  deliveryRows,
  type WebhookDelivery,
  webhooksDue,
} from '#shared/signals/outbound-webhooks/rows.ts'
import { webhookDeliveries } from '#shared/signals/outbound-webhooks/topic.ts'

/** The attempts of a delivery. An attempt whose process died is counted. */
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
  // Longer than an attempt takes.
  leaseMs: 30_000,
  lostMs: 30_000,
})
