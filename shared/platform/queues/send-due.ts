import type { QueueName } from '#shared/manifest/queues.ts'
import type { Item, Table } from '../table/port.ts'
import { tryWrite } from '../table/try-write.ts'
import { type DueQuery, visitDue } from '../table/visit-due.ts'
import type { Queues } from './port.ts'
import type { Topic } from './topic.ts'

/** The default of `resendMs`. */
const againMs = 300_000

/**
 * The number of rows whose due time is changed before their messages are sent together. If the tick dies in between, at
 * most this many rows wait for their next due time.
 */
const batch = 10

/** The message for a row, and a function that returns the row's `gsi1sk` for a time in epoch milliseconds. */
interface Due<Message> {
  message: Message
  positionAt: (at: number) => string
}

interface DueMessages<Message, Queue extends QueueName> extends DueQuery {
  topic: Topic<Message, Queue>
  /** Returns undefined for a row that needs no message. */
  due: (item: Item) => Due<Message> | undefined
  /**
   * Milliseconds until a row is due again after its message was sent. Default: five minutes. If it is shorter than the
   * time that messages wait for a slow consumer, each tick sends the whole backlog again.
   */
  resendMs?: number | undefined
}

/**
 * Sends the message of each due row. The row's due time is changed first, on condition that it has not changed since it
 * was read. A lost message is therefore sent again at the next due time, and a message that waits in the queue is not
 * sent twice.
 * @returns the number of messages sent
 */
export async function sendDue<Message, Queue extends QueueName>(
  { table, queues }: { table: Pick<Table, 'query' | 'update'>; queues: Queues<Queue> },
  { topic, due, resendMs = againMs, ...query }: DueMessages<Message, Queue>,
): Promise<number> {
  const moveOn = async (item: Item): Promise<Message | undefined> => {
    const found = due(item)
    if (found === undefined) return undefined
    const { pk, sk, gsi1sk } = item
    const moved = await tryWrite(
      table.update(
        { pk, sk },
        {
          set: { gsi1sk: found.positionAt(query.now + resendMs) },
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
