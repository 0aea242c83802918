import { sha256Hex } from '#shared/platform/crypto.ts'
import type { UserIdentity } from '#shared/platform/identity/actor.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { recordUse } from '../record-use.ts'
import { scopesOfRow } from '../stored-scopes.ts'
import { isDeleted, profileKey, toIdentity, toUser, type User } from '../user.ts'
import { type Grant, grantRows } from './rows.ts'
import { accessClaims, type TokenClaims } from './token.ts'

/** Returns a valid grant and its current user, in one read. */
export async function findGrant(
  table: Table,
  { userId, grantId }: TokenClaims,
): Promise<{ grant: Grant; user: User } | undefined> {
  const pk = userPartition(userId)
  const [profile, row] = await table.getMany([
    { pk, sk: profileKey },
    { pk, sk: grantRows.sk({ grantId }) },
  ])
  if (profile === undefined || row === undefined) return undefined
  const found = { grant: grantRows.parse(row), user: toUser(profile) }
  const over = found.grant.accessEpoch !== found.user.accessEpoch || isDeleted(found.user)
  return over ? undefined : found
}

/** Returns the guard's look-up for access tokens: one read. */
export function accessTokenIdentity(table: Table, adminEmails: string[]) {
  return async (token: string, now = Date.now()): Promise<UserIdentity | undefined> => {
    const claims = accessClaims(token)
    const found = claims && (await findGrant(table, claims))
    if (found === undefined) return undefined
    const { grant, user } = found
    const hash = await sha256Hex(token)
    const good = grant.access.some((one) => one.hash === hash && Date.parse(one.until) > now)
    if (!good) return undefined
    recordUse(table, { userId: user.id, sk: grantRows.sk({ grantId: grant.id }), row: grant })
    return { ...toIdentity(user, adminEmails), grantId: grant.id, scopes: scopesOfRow(grant) }
  }
}
