import type { QueueName } from '../../manifest/queues.ts'
import type { Item, Table } from '../table/port.ts'
import { type DueQuery, visitDue } from '../table/visit-due.ts'
import { written } from '../table/written.ts'
import type { Queues } from './port.ts'
import type { Topic } from './topic.ts'

/**
 * Milliseconds until a row is due again after its message was sent: a consumer that is this far behind would otherwise be
 * sent its whole backlog once more at every tick.
 */
const againMs = 300_000

/** Rows that are moved on, and then sent, together: so many at most wait longer where the tick dies in between. */
const batch = 10

/** What is sent for a row, and its `gsi1sk` for a time in epoch milliseconds. */
interface Due<Message> {
  message: Message
  placeAt: (at: number) => string
}

/**
 * Sends the message of each row that is due. A row is moved on first, on condition that nobody has moved it since it was
 * read, so that what is lost again is sent again, and what only waits in the queue is not.
 * @param query.due undefined for a row of which nothing is to be sent
 * @returns how many messages were sent
 */
export async function sendDue<Message, Queue extends QueueName>(
  { table, queues }: { table: Pick<Table, 'query' | 'update'>; queues: Queues<Queue> },
  {
    topic,
    due,
    ...query
  }: DueQuery & { topic: Topic<Message, Queue>; due: (item: Item) => Due<Message> | undefined },
): Promise<number> {
  const moveOn = async (item: Item): Promise<Message | undefined> => {
    const found = due(item)
    if (found === undefined) return undefined
    const { pk, sk, gsi1sk } = item
    const moved = await written(
      table.update(
        { pk, sk },
        {
          set: { gsi1sk: found.placeAt(query.now + againMs) },
          if: '#gsi1sk = :seen',
          values: { seen: gsi1sk },
        },
      ),
    )
    return moved ? found.message : undefined
  }
  return visitDue(table, query, async (items) => {
    let sent = 0
    for (let from = 0; from < items.length; from += batch) {
      const moved = await Promise.all(items.slice(from, from + batch).map(moveOn))
      const messages = moved.filter((message) => message !== undefined)
      await queues.sendAll(topic, messages)
      sent += messages.length
    }
    return sent
  })
}
