import type { Queues } from '#shared/platform/queues/port.ts'
import { sendDue } from '#shared/platform/queues/send-due.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { deliveryPartition, deliveryShards, messageDueIndex, messageRows } from '../rows.ts'
import { deliveries } from './topic.ts'

export interface BusTickContext {
  table: Table
  queues: Queues<'bus-deliveries'>
}

const partitions = Array.from({ length: deliveryShards }, (_, shard) => deliveryPartition(shard))

/** Without the messages' texts, which are most of a row. */
const select = ['pk', 'sk', 'messageId', 'from', 'to', 'acceptedAt', 'gsi1sk'].concat(
  ['what', 'userId', 'attempts'].map((name) => `open.${name}`),
)

/**
 * Requests the next attempt of each message whose last one was interrupted, or whose delayed message was lost.
 * @returns the number of messages
 */
export async function tickDeliveries(
  ctx: BusTickContext,
  now = Date.now(),
): Promise<{ resent: number }> {
  const resent = await sendDue(ctx, {
    topic: deliveries,
    partitions,
    now,
    select,
    due: (item) => {
      const { messageId, open } = messageRows.parse(item)
      if (open === undefined) return undefined
      return {
        message: { messageId, attempt: open.attempts + 1 },
        placeAt: (at) => messageDueIndex(messageId, at).gsi1sk,
      }
    },
  })
  return { resent }
}
