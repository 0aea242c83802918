import { encodeTime } from 'ulid'
import type { UserStore } from '../../platform/table/user-store.ts'
import { type CompletionEvent, eventId } from '../event.ts'
import { usageEventRows } from '../rows.ts'

/** More than this in one span of time is not read: one request. */
const mostEvents = 100

/** How many characters of a ULID say its time. */
const timeLength = 10

/**
 * The completions of a user's agent that were recorded in a span of time, in epoch milliseconds; undefined where the user
 * has more events in it than one request reads.
 */
export async function completionsBetween(
  store: UserStore,
  { agentId, from, to }: { agentId: string; from: number; to: number },
): Promise<CompletionEvent[] | undefined> {
  const place = (at: number) =>
    usageEventRows.sk({ eventId: `${eventId}_${encodeTime(at, timeLength).toLowerCase()}` })
  const { items, next } = await store.query({
    between: [place(from), place(to)],
    consistent: false,
    limit: mostEvents,
  })
  if (next !== undefined) return undefined
  return items
    .map((item) => usageEventRows.parse(item))
    .filter((event) => event.kind === 'completion')
    .filter((event) => event.agentId === agentId)
}
