import { accessTokenIdentity } from '../accounts/grants/find.ts'
import { sessionIdentity } from '../accounts/identity.ts'
import { toIdentity } from '../accounts/user.ts'
import type { Identity, UserIdentity } from '../identity/actor.ts'
import type { Table } from '../platform/table/port.ts'
import { findKey } from './find.ts'
import { noteUse } from './use.ts'

/** Returns the guard's look-up for API keys: one read. */
export function userKeyIdentity(table: Table, adminEmails: string[]) {
  return async (secret: string): Promise<UserIdentity | undefined> => {
    const found = await findKey(table, secret)
    if (found === undefined) return undefined
    noteUse(table, found)
    const { digest: keyDigest, id: keyId, name: keyName, scopes } = found.key
    return { ...toIdentity(found.user, adminEmails), keyDigest, keyId, keyName, scopes }
  }
}

/** The look-ups of functions that people use: sessions, API keys and programs' access tokens. */
export function userIdentities(table: Table, adminEmails: string[]) {
  return {
    session: sessionIdentity(table, adminEmails),
    userKey: userKeyIdentity(table, adminEmails),
    accessToken: accessTokenIdentity(table, adminEmails),
  } satisfies Identity
}
