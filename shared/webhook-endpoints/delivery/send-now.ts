import type { WebhookDelivery } from '../../outbound-webhooks/rows.ts'
import type { Queues } from '../../platform/queues/port.ts'
import { webhookDeliveries } from './topic.ts'

/** Asks for the first try of a delivery that was stored, so that it need not wait for the tick. */
export async function sendNow(
  { queues }: { queues: Queues<'webhook-deliveries'> },
  { userId, endpointId, id }: WebhookDelivery,
): Promise<void> {
  await queues.send(webhookDeliveries, { userId, endpointId, delivery: { id, attempt: 1 } })
}
