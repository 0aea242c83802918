import { ConditionFailed, type Table } from '#shared/platform/table/port.ts'
import { userIdPattern, userStore } from '#shared/platform/table/user-store.ts'
import { isoOf } from '#shared/platform/times.ts'
import { installationRows } from './rows.ts'

/**
 * Records a heartbeat of a user's installation. The caller needs no credentials, so the answer does not reveal
 * whether the installation exists: both cases cost one write.
 * @param now epoch milliseconds
 * @returns the time of the heartbeat, ISO 8601
 */
export async function recordInstallation(
  { table }: { table: Table },
  { userId }: { userId: string | undefined },
  now = Date.now(),
): Promise<string> {
  const timestamp = isoOf(now)
  if (userId !== undefined && userIdPattern.test(userId)) await note(table, userId, timestamp)
  return timestamp
}

async function note(table: Table, userId: string, at: string): Promise<void> {
  try {
    await userStore(table, userId).update(installationRows.sk({}), {
      set: { lastSeen: at },
      // The later of two concurrent heartbeats stays, in any order of writes.
      if: 'attribute_exists(pk) AND #lastSeen < :at',
      values: { at },
    })
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
  }
}
