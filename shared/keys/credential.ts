import { sessionKey } from '../accounts/session.ts'
import type { UserIdentity } from '../http/actor.ts'
import { keyRowKey } from './key.ts'

/** The sort key of the row that a caller's own credential is, in the caller's partition: with it the credential ends. */
export function credentialRow({ keyDigest, sessionHash = '' }: UserIdentity): string {
  return keyDigest === undefined ? sessionKey(sessionHash) : keyRowKey(keyDigest)
}
