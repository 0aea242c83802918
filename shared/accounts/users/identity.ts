import type { UserIdentity } from '#shared/platform/identity/actor.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { recordUse } from './record-use.ts'
import { sessionRows } from './rows.ts'
import { readSessionCookie } from './session.ts'
import { isDeleted, profileKey, toIdentity, toUser } from './user.ts'

/** Returns the guard's look-up for sessions: one read, which returns the user too. */
export function sessionIdentity(table: Table, adminEmails: string[]) {
  return async (cookie: string): Promise<UserIdentity | undefined> => {
    const session = await readSessionCookie(cookie)
    if (session === undefined) return undefined
    const pk = userPartition(session.userId)
    const [profile, row] = await table.getMany([
      { pk, sk: profileKey },
      { pk, sk: sessionRows.sk(session) },
    ])
    if (profile === undefined || row === undefined) return undefined
    const user = toUser(profile)
    const parsed = sessionRows.parse(row)
    if (parsed.accessEpoch !== user.accessEpoch || isDeleted(user)) return undefined
    recordUse(table, { userId: user.id, sk: row.sk, row: parsed })
    return { ...toIdentity(user, adminEmails), sessionHash: session.tokenHash }
  }
}
