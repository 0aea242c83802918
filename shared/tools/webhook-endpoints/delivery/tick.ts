import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { sendDue } from '#shared/platform/queues/send-due.ts'
import type { Item } from '#shared/platform/table/port.ts'
import { endpointRows, webhooksDue } from '#shared/signals/outbound-webhooks/rows.ts'
import { webhookDeliveries } from '#shared/signals/outbound-webhooks/topic.ts'
import { deliveryWork } from './work.ts'

/**
 * Requests the next attempt of each due delivery, and the mail about each disabled endpoint if it was not sent.
 * @returns the number of messages sent
 */
export async function tickWebhooks(
  ctx: Pick<Context, 'table'> & Sends<'webhook-deliveries'>,
  now = Date.now(),
): Promise<{ sent: number }> {
  const { partitions } = webhooksDue
  const due = (item: Item) =>
    item.sk.startsWith(endpointRows.prefix()) ? disabled(item) : deliveryWork.dueOf(item)
  const sent = await sendDue(ctx, { topic: webhookDeliveries, partitions, now, due })
  return { sent }
}

function disabled(item: Item) {
  const { id, userId } = endpointRows.parse(item)
  return {
    message: { userId, endpointId: id },
    positionAt: (at: number) => webhooksDue.at(id, at).gsi1sk,
  }
}
