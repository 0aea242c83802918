import { sessionRequired } from '#shared/platform/errors.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { sessionRows } from './rows.ts'

/** contract.md 2: the oldest sign-in that counts as a proof for a user without a password. */
const freshMs = 15 * 60_000

/** Requires a recent sign-in, for users without a password. @throws PlatformError 403 SESSION_REQUIRED for an older one */
export async function requireFresh(
  table: Table,
  { userId, sessionHash }: { userId: string; sessionHash: string | undefined },
): Promise<void> {
  const row =
    sessionHash && (await userStore(table, userId).get(sessionRows.sk({ tokenHash: sessionHash })))
  if (!row || Date.parse(sessionRows.parse(row).createdAt) <= Date.now() - freshMs)
    throw sessionRequired('Sign in again: this takes a session of the last 15 minutes')
}
