import { createLog } from '#shared/platform/log.ts'
import { ConditionFailed, type Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { isoOf } from '#shared/platform/times.ts'

/**
 * The accuracy of the time of the last use in the list of sessions: each session costs at most one write in this
 * interval.
 */
const everyMs = 15 * 60_000

/**
 * Records the use of a session or a program's grant, at most once in 15 minutes. As with keys, no request waits for
 * the write or fails with it.
 */
export function recordUse(
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
      set: { lastSeenAt: isoOf(now) },
      // Concurrent requests of the session write the same values, and an ended session must stay ended.
      if: 'attribute_exists(pk) AND (attribute_not_exists(#lastSeenAt) OR #lastSeenAt <= :before)',
      values: { before: isoOf(now - everyMs) },
    })
    .catch((error: unknown) => {
      if (!(error instanceof ConditionFailed))
        createLog().warn('the use of a session was not recorded', { userId, error })
    })
}
