import { notFound, PlatformError, sessionRequired } from '#shared/platform/errors.ts'
import type { Context, UserContext } from '#shared/platform/identity/context.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { type AttemptFrom, beginAttempt } from './lockout.ts'
import type { HasPasswords } from './password.ts'
import { sessionRows } from './rows.ts'
import { findUser, type User } from './user.ts'

/** The capabilities of a check of a password. */
export interface ProvesPassword extends AttemptFrom, HasPasswords {
  /** False only for load tests on one machine. */
  lockouts: boolean
}

/** contract.md 2: the oldest sign-in that counts as a proof for a user without a password. */
const freshMs = 15 * 60_000

/**
 * Requires the proof that a sensitive change needs: the password, or for a user without a password a recent sign-in.
 * A key proves nothing.
 * @param user the row of the caller
 * @throws PlatformError 403 SESSION_REQUIRED for a key, or for an older sign-in of a user without a password, 400
 * without the current password, 401 for a wrong one, 429 after too many wrong ones
 */
export async function proveUser(
  ctx: Pick<UserContext, 'actor' | 'table'> & ProvesPassword,
  user: User,
  password: string | undefined,
): Promise<void> {
  const { sessionHash } = ctx.actor.user
  if (sessionHash === undefined) throw sessionRequired()
  if (user.passwordHash === undefined) await requireFresh(ctx.table, user.id, sessionHash)
  else await provePassword(ctx, user, password)
}

/**
 * Requires a recent sign-in of the caller, or the current password. A key proves nothing.
 * @throws PlatformError as proveUser; 403 SESSION_REQUIRED for an older sign-in without the current password
 */
export async function proveRecently(
  ctx: Pick<UserContext, 'actor' | 'table'> & ProvesPassword,
  password: string | undefined,
): Promise<void> {
  const { id, sessionHash } = ctx.actor.user
  if (sessionHash === undefined) throw sessionRequired()
  const user = await findUser(ctx.table, id)
  if (user === undefined) throw notFound('User')
  if (password !== undefined && user.passwordHash !== undefined)
    return provePassword(ctx, user, password)
  await requireFresh(ctx.table, id, sessionHash)
}

async function requireFresh(table: Table, userId: string, sessionHash: string): Promise<void> {
  const row = await userStore(table, userId).get(sessionRows.sk({ tokenHash: sessionHash }))
  if (!row || Date.parse(sessionRows.parse(row).createdAt) <= Date.now() - freshMs)
    throw sessionRequired('Sign in again: this takes a session of the last 15 minutes')
}

/** Each wrong password counts as a failed sign-in, so that an open session cannot be used to guess it. */
async function provePassword(
  ctx: Pick<Context, 'table'> & ProvesPassword,
  { email, passwordHash }: User,
  password: string | undefined,
): Promise<void> {
  if (password === undefined) throw new PlatformError('bad-request', 'currentPassword required')
  const attempt = ctx.lockouts ? await beginAttempt(ctx, email) : undefined
  if (!(await ctx.passwords.matches(password, passwordHash)))
    throw new PlatformError('unauthorized', 'Current password is wrong')
  await attempt?.succeed()
}
