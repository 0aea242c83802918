import { createLog } from '../platform/log.ts'
import { ConditionFailed, type Table } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'

/** A person who asks whether a session is still in use can wait so long; each session is one write in it. */
const everyMs = 15 * 60_000

/**
 * Notes that a session, or what a program was granted, is in use, at most once in a quarter of an hour. As with keys, no request waits for it and
 * nothing fails by it.
 */
export function noteSeen(
  table: Table,
  {
    userId,
    sk,
    row: { createdAt, lastSeenAt = createdAt },
  }: { userId: string; sk: string; row: { createdAt: string; lastSeenAt?: string | undefined } },
  now = Date.now(),
): void {
  if (Date.parse(lastSeenAt) > now - everyMs) return
  userStore(table, userId)
    .update(sk, {
      set: { lastSeenAt: new Date(now).toISOString() },
      // Others of the session's requests want the same, and a session that was ended must stay so.
      if: 'attribute_exists(pk) AND (attribute_not_exists(#lastSeenAt) OR #lastSeenAt <= :before)',
      values: { before: new Date(now - everyMs).toISOString() },
    })
    .catch((error: unknown) => {
      if (!(error instanceof ConditionFailed))
        createLog().warn('the use of a session was not noted', { userId, error })
    })
}
