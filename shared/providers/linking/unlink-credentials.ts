import { removeSessions } from '../../accounts/end-sessions.ts'
import { renewAccess } from '../../accounts/renew-access.ts'
import type { User } from '../../accounts/user.ts'
import { deleteAllKeys } from '../../keys/delete-all.ts'
import type { Table } from '../../platform/table/port.ts'

/**
 * Takes away whatever lets somebody into an account: its password, its sessions with their reset links and email
 * change, then the keys, which no session is left to make; and the provider keys through which they would see what
 * its owner asks models.
 * @param user as last read
 * @returns the access epoch that begins with it, undefined where the user has changed meanwhile
 */
export async function unlinkCredentials(table: Table, user: User): Promise<number | undefined> {
  const outcome = await renewAccess(table, user, { remove: ['passwordHash', 'byok'] })
  if (outcome !== 'renewed') return undefined
  const accessEpoch = user.accessEpoch + 1
  await removeSessions(table, user.id, accessEpoch)
  await deleteAllKeys(table, user.id)
  return accessEpoch
}
