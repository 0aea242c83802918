import type { Identity, UserIdentity } from '#shared/platform/identity/actor.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { accessTokenIdentity } from '../users/grants/find.ts'
import { sessionIdentity } from '../users/identity.ts'
import { toIdentity } from '../users/user.ts'
import { findKey } from './find.ts'
import { recordKeyUse } from './use.ts'

/** Returns the guard's look-up for API keys: one read. */
export function userKeyIdentity(table: Table, adminEmails: string[]) {
  return async (secret: string): Promise<UserIdentity | undefined> => {
    const found = await findKey(table, secret)
    if (found === undefined) return undefined
    recordKeyUse(table, found)
    const { digest: keyDigest, id: keyId, name: keyName, scopes, limits } = found.key
    return {
      ...toIdentity(found.user, adminEmails),
      keyDigest,
      keyId,
      keyName,
      scopes,
      ...(limits !== null && { keyLimits: limits }),
    }
  }
}

/** The guard's look-ups for sessions, API keys and programs' access tokens. */
export function userIdentities(table: Table, adminEmails: string[]) {
  return {
    session: sessionIdentity(table, adminEmails),
    userKey: userKeyIdentity(table, adminEmails),
    accessToken: accessTokenIdentity(table, adminEmails),
  } satisfies Identity
}
