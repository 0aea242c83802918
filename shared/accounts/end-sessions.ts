import type { Table } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { renewAccess } from './renew-access.ts'
import { findUser } from './user.ts'

const pageSize = 25

/**
 * Ends every session of a user, all of them in one moment, and with them their reset links and an email change under
 * way. Repeating it ends what began in between.
 * @param exceptHash the token hash of a session that goes on; one that is over is no reason to keep the others
 */
export async function endSessions(
  table: Table,
  userId: string,
  exceptHash?: string,
): Promise<void> {
  const user = await findUser(table, userId)
  if (user === undefined) return
  const outcome = await renewAccess(table, user, { keep: exceptHash })
  if (outcome === 'renewed') return removeSessions(table, userId, user.accessEpoch + 1)
  // Each round that finds the user changed is one in which another caller got ahead, so there is a last one.
  return endSessions(table, userId, outcome === 'ended' ? undefined : exceptHash)
}

/** Removes the sessions that are void since `accessEpoch` began. Whoever is killed here leaves rows that nobody can use. */
export async function removeSessions(
  table: Table,
  userId: string,
  accessEpoch: number,
): Promise<void> {
  const store = userStore(table, userId)
  let after
  do {
    const page = await store.query({
      beginsWith: 'session#',
      limit: pageSize,
      ...(after !== undefined && { after }),
    })
    const old = page.items.filter((row) => !(Number(row.accessEpoch) >= accessEpoch))
    await Promise.all(old.map(({ sk }) => store.delete(sk)))
    after = page.next
  } while (after !== undefined)
}
