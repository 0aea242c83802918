import { everyItem } from '../platform/table/pages.ts'
import type { Table } from '../platform/table/port.ts'
import type { Event } from './event.ts'
import { eventRows, eventsPartition } from './rows.ts'

/** A list that people read; what lies further back is found by its id. */
const most = 1_000

/** An answer of Lambda's has at most 6 MB; characters take up to three bytes each. */
const longest = 1_500_000

/** The events that are held last, the latest first: a thousand, or fewer where they are long. */
export async function listEvents({ table }: { table: Table }): Promise<Event[]> {
  const events: Event[] = []
  let characters = 0
  const all = everyItem((from) =>
    table.query({
      index: 'gsi1',
      pk: eventsPartition,
      descending: true,
      limit: most - events.length,
      ...from,
    }),
  )
  for await (const item of all) {
    const event = eventRows.parse(item)
    characters += JSON.stringify(event).length
    if (characters > longest) break
    events.push(event)
    if (events.length === most) break
  }
  return events
}
