import { createLog } from '#shared/platform/log.ts'
import { ConditionFailed, type Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { isoOf } from '#shared/platform/times.ts'
import { keyRowKey } from '../users/api-key.ts'
import type { FoundKey } from './find.ts'

/** contract.md 3. */
const everyMs = 60_000

/**
 * Records the use of a key, at most once a minute. No request waits for the write or fails with it. Lambda may freeze
 * the function before the write is sent. The write is then sent when the function continues, or the key's next use
 * records the time.
 */
export function recordKeyUse(table: Table, { key, user }: FoundKey, now = Date.now()): void {
  if (key.lastUsed !== null && Date.parse(key.lastUsed) > now - everyMs) return
  userStore(table, user.id)
    .update(keyRowKey(key.digest), {
      set: { lastUsed: isoOf(now) },
      // Concurrent uses write the same values, and a deleted key must stay deleted.
      if: 'attribute_exists(pk) AND (attribute_not_exists(#lastUsed) OR #lastUsed <= :before)',
      values: { before: isoOf(now - everyMs) },
    })
    .catch((error: unknown) => {
      if (!(error instanceof ConditionFailed))
        createLog().warn('the use of a key was not recorded', { keyId: key.id, error })
    })
}
