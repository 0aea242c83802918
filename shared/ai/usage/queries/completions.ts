import { encodeTime } from 'ulid'
import type { UserStore } from '#shared/platform/table/user-store.ts'
import { type CompletionEvent, eventId } from '../event.ts'
import { usageEventRows } from '../rows.ts'

/** The maximum number of events that one query reads. */
const maxEvents = 100

/** The number of characters of a ULID's timestamp. */
const timeLength = 10

/**
 * Returns the completions of a user's agent between two times in epoch milliseconds, or undefined if the user has more
 * events in that time than one query reads.
 */
export async function completionsBetween(
  store: UserStore,
  { agentId, from, to }: { agentId: string; from: number; to: number },
): Promise<CompletionEvent[] | undefined> {
  const keyAt = (at: number) =>
    usageEventRows.sk({ eventId: `${eventId}_${encodeTime(at, timeLength).toLowerCase()}` })
  const { items, next } = await store.query({
    between: [keyAt(from), keyAt(to)],
    consistent: false,
    limit: maxEvents,
  })
  if (next !== undefined) return undefined
  return items
    .map((item) => usageEventRows.parse(item))
    .filter((event) => event.kind === 'completion')
    .filter((event) => event.agentId === agentId)
}
