import type { Queues } from '#shared/platform/queues/port.ts'
import { sendDue } from '#shared/platform/queues/send-due.ts'
import type { Item, Table } from '#shared/platform/table/port.ts'
import {
  deliveryRows,
  webhookDueIndex,
  endpointRows,
  webhookPartitions,
} from '#shared/signals/outbound-webhooks/rows.ts'
import { webhookDeliveries, type WebhookWork } from '#shared/signals/outbound-webhooks/topic.ts'

export interface WebhookTickContext {
  table: Table
  queues: Queues<'webhook-deliveries'>
}

/**
 * Requests the next try of each delivery that is due: its time has come, its last try was cut short, or its message
 * was lost or never sent.
 * @returns the number of messages sent
 */
export async function tickWebhooks(
  ctx: WebhookTickContext,
  now = Date.now(),
): Promise<{ sent: number }> {
  const sent = await sendDue(ctx, {
    topic: webhookDeliveries,
    partitions: webhookPartitions,
    now,
    due: (item) => {
      const { id, message } = workOf(item)
      return { message, placeAt: (at) => webhookDueIndex(id, at).gsi1sk }
    },
  })
  return { sent }
}

function workOf(item: Item): { id: string; message: WebhookWork } {
  if (item.sk.startsWith(endpointRows.prefix())) {
    const { id, userId } = endpointRows.parse(item)
    return { id, message: { userId, endpointId: id } }
  }
  const { id, userId, endpointId, attempts } = deliveryRows.parse(item)
  return { id, message: { userId, endpointId, delivery: { id, attempt: attempts + 1 } } }
}
