import type { Queues } from '../../platform/queues/port.ts'
import type { Item, Table } from '../../platform/table/port.ts'
import { visitDue } from '../../platform/table/visit-due.ts'
import { written } from '../../platform/table/written.ts'
import { deliveryPartition, deliveryShards, dueIndex, messageRows } from '../rows.ts'
import { deliveries, type DeliveryRef } from './topic.ts'

export interface TickContext {
  table: Table
  queues: Queues<'bus-deliveries'>
}

/**
 * Milliseconds until a message is due again after the tick has asked for its next try: a consumer that is this far behind
 * would otherwise be sent its whole backlog once more at every tick.
 */
const againMs = 300_000

/** Messages that are moved on, and then sent, together: so many at most wait longer where the tick dies in between. */
const batch = 10

/** Without the messages' text, which is most of a row. */
const select = ['messageId', 'from', 'to', 'acceptedAt', 'gsi1sk'].concat(
  ['what', 'userId', 'attempts'].map((name) => `open.${name}`),
)

/**
 * Asks for the next try of each message whose last one was left in the middle, or whose delayed message was lost. Each is
 * moved on first, so that what is lost again is asked for again, and what only waits in the queue is not.
 * @returns how many messages that were
 */
export async function tickDeliveries(
  ctx: TickContext,
  now = Date.now(),
): Promise<{ resent: number }> {
  const partitions = Array.from({ length: deliveryShards }, (_, shard) => deliveryPartition(shard))
  const resent = await visitDue(ctx.table, { partitions, now, select }, async (items) => {
    let sent = 0
    for (let from = 0; from < items.length; from += batch) {
      const some = items.slice(from, from + batch)
      const moved = await Promise.all(some.map((item) => moveOn(ctx, item, now)))
      const due = moved.filter((message) => message !== undefined)
      await ctx.queues.sendAll(deliveries, due)
      sent += due.length
    }
    return sent
  })
  return { resent }
}

/** @returns its next try; undefined where another tick, or a try, has moved it since it was read */
async function moveOn(
  { table }: TickContext,
  item: Item,
  now: number,
): Promise<DeliveryRef | undefined> {
  const { messageId, open } = messageRows.parse(item)
  if (open === undefined) return undefined
  const moved = await written(
    table.update(messageRows.key({ messageId }), {
      set: { gsi1sk: dueIndex(messageId, now + againMs).gsi1sk },
      if: '#gsi1sk = :seen',
      values: { seen: item.gsi1sk },
    }),
  )
  return moved ? { messageId, attempt: open.attempts + 1 } : undefined
}
