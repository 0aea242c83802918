import { everyItem } from '#shared/platform/table/pages.ts'
import type { Table } from '#shared/platform/table/port.ts'
import type { Event } from './event.ts'
import { eventRows, eventsPartition } from './rows.ts'

/** The maximum number of listed events. Older ones can be read by id. */
const maxEvents = 1_000

/**
 * The maximum number of characters in a response: a Lambda response has at most 6 MB, and a character up to three
 * bytes.
 */
const longest = 1_500_000

/** Lists the events by date, latest first: up to a thousand, or fewer if they are long. */
export async function listEvents({ table }: { table: Table }): Promise<Event[]> {
  const events: Event[] = []
  let characters = 0
  const all = everyItem((from) =>
    table.query({
      index: 'gsi1',
      pk: eventsPartition,
      descending: true,
      limit: maxEvents - events.length,
      ...from,
    }),
  )
  for await (const item of all) {
    const event = eventRows.parse(item)
    characters += JSON.stringify(event).length
    if (characters > longest) break
    events.push(event)
    if (events.length === maxEvents) break
  }
  return events
}
