import {
  deliveryRows,
  dueIndex,
  endpointRows,
  webhookPartitions,
} from '../../outbound-webhooks/rows.ts'
import type { Queues } from '../../platform/queues/port.ts'
import type { Item, Table } from '../../platform/table/port.ts'
import { visitDue } from '../../platform/table/visit-due.ts'
import { written } from '../../platform/table/written.ts'
import { webhookDeliveries, type WebhookWork } from './topic.ts'

export interface TickContext {
  table: Table
  queues: Queues<'webhook-deliveries'>
}

/**
 * Milliseconds until a row is due again after the tick has asked for its next try: a consumer that is this far behind
 * would otherwise be sent its whole backlog once more at every tick.
 */
const againMs = 300_000

/** Rows that are moved on, and then sent, together: so many at most wait longer where the tick dies in between. */
const batch = 10

/**
 * Asks for the next try of each delivery that is due: a new one, one whose time to try again has come, one whose last try
 * was left in the middle, and one whose message was lost. Each is moved on first, so that what is lost again is asked for
 * again, and what only waits in the queue is not.
 * @returns how many messages were sent
 */
export async function tickWebhooks(ctx: TickContext, now = Date.now()): Promise<{ sent: number }> {
  const sent = await visitDue(ctx.table, { partitions: webhookPartitions, now }, async (items) => {
    let count = 0
    for (let from = 0; from < items.length; from += batch) {
      const some = items.slice(from, from + batch)
      const moved = await Promise.all(some.map((item) => moveOn(ctx, item, now)))
      const due = moved.filter((message) => message !== undefined)
      await ctx.queues.sendAll(webhookDeliveries, due)
      count += due.length
    }
    return count
  })
  return { sent }
}

/** @returns what is to be done; undefined where another tick, or a try, has moved the row since it was read */
async function moveOn(
  { table }: TickContext,
  item: Item,
  now: number,
): Promise<WebhookWork | undefined> {
  const { id, work } = workOf(item)
  const { pk, sk, gsi1sk } = item
  const moved = await written(
    table.update(
      { pk, sk },
      {
        set: { gsi1sk: dueIndex(id, now + againMs).gsi1sk },
        if: '#gsi1sk = :seen',
        values: { seen: gsi1sk },
      },
    ),
  )
  return moved ? work : undefined
}

function workOf(item: Item): { id: string; work: WebhookWork } {
  if (item.sk.startsWith(endpointRows.prefix())) {
    const { id, userId } = endpointRows.parse(item)
    return { id, work: { userId, endpointId: id } }
  }
  const { id, userId, endpointId, attempts } = deliveryRows.parse(item)
  return { id, work: { userId, endpointId, delivery: { id, attempt: attempts + 1 } } }
}
