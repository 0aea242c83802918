import { ConditionFailed, type Table } from '../platform/table/port.ts'
import { userIdPattern, userStore } from '../platform/table/user-store.ts'
import { installationRows } from './rows.ts'

/**
 * Records a heartbeat of a user's installation. The caller needs no credentials, so the answer does not reveal
 * whether the installation exists: both cases cost one write.
 * @param now epoch milliseconds
 * @returns known: true if the installation exists; the request then counts for it
 */
export async function seeInstallation(
  { table }: { table: Table },
  { userId }: { userId: string | undefined },
  now = Date.now(),
): Promise<{ timestamp: string; known: boolean }> {
  const timestamp = new Date(now).toISOString()
  const isId = userId !== undefined && userIdPattern.test(userId)
  return { timestamp, known: isId && (await note(table, userId, timestamp)) }
}

async function note(table: Table, userId: string, at: string): Promise<boolean> {
  try {
    await userStore(table, userId).update(installationRows.sk({}), {
      set: { lastSeen: at },
      // The later of two concurrent heartbeats stays, in any order of writes.
      if: 'attribute_exists(pk) AND #lastSeen < :at',
      values: { at },
    })
    return true
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
    return error.item !== undefined
  }
}
