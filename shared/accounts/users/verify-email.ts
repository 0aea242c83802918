import { PlatformError } from '#shared/platform/errors.ts'
import { audit, type AuditContext } from '#shared/platform/identity/audit.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { type Parts, tryCommit } from '#shared/platform/table/commit.ts'
import { ifPresent } from '#shared/platform/table/if-present.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { beginAttempt } from './lockout.ts'
import { addressChangedMail } from './mails/address.ts'
import { notify } from './notify.ts'
import type { ProvesPassword } from './prove-user.ts'
import { referralDue, settleReferral } from './referral.ts'
import { emailRows, verificationRows } from './rows.ts'
import type { EmailConfirmation } from './schema.ts'
import { emailKey, findUser, profileKey } from './user.ts'
import { type EmailVerification, verificationKey } from './verification.ts'

/** Marks an address as verified, and notifies the old one by mail. */
type Verifies = AuditContext & Pick<Context, 'log'> & Can<'mailer'>

interface LinkProof {
  token: string
  /** The user of the request's session; undefined without a session. */
  signedIn: string | undefined
}

/**
 * Opens a mailed link. The link alone proves only that the mail arrived, since link scanners open it too; together with
 * a session of the account, it proves that the address belongs to the account's user.
 * @returns `unproven` if the link is valid but the session is missing
 */
export async function openLink(
  context: Verifies,
  { token, signedIn }: LinkProof,
): Promise<'verified' | 'unproven' | 'failed'> {
  const verification = await findVerification(context.table, token)
  if (verification === undefined) return 'failed'
  if (verification.userId !== signedIn) return 'unproven'
  return (await useLink(context, token, verification)) ? 'verified' : 'failed'
}

/**
 * Marks an address as verified with its link's token and the account's session or password. A wrong password counts
 * as a failed sign-in of that account, and costs one hash whether or not the link exists.
 * @throws PlatformError 400 VerifyFailed, 429 after too many wrong passwords
 */
export async function confirmEmail(
  context: Verifies & ProvesPassword,
  { token, password, signedIn }: EmailConfirmation & LinkProof,
): Promise<void> {
  const verification = await findVerification(context.table, token)
  const isOwn = verification !== undefined && verification.userId === signedIn
  if (!isOwn) await proveAccount(context, verification?.userId, token, password)
  if (verification === undefined || !(await useLink(context, token, verification)))
    throw verifyFailed()
}

async function proveAccount(
  ctx: Pick<Context, 'table'> & ProvesPassword,
  userId: string | undefined,
  token: string,
  password: string | undefined,
): Promise<void> {
  if (password === undefined) throw verifyFailed('password required')
  const user = userId === undefined ? undefined : await findUser(ctx.table, userId)
  // Attempts at an unknown link are counted for that link, as attempts at an unknown account are.
  const email = user?.email ?? token
  const attempt = ctx.lockouts ? await beginAttempt(ctx, email) : undefined
  if (!(await ctx.passwords.matches(password, user?.passwordHash))) throw verifyFailed()
  await attempt?.succeed()
}

function verifyFailed(
  message = 'The link is unknown, used or expired, or the password is wrong',
): PlatformError {
  return new PlatformError('bad-request', message, { code: 'VerifyFailed' })
}

async function findVerification(
  table: Table,
  token: string,
): Promise<EmailVerification | undefined> {
  const row = await table.get(await verificationKey(token))
  return row && verificationRows.parse(row)
}

/**
 * Marks the link's address as verified, and makes it the user's address if the user requested the change. A link works
 * once, and only if the user still has this address or still requests it.
 * @returns whether it worked
 */
async function useLink(
  context: Verifies,
  token: string,
  verification: EmailVerification,
): Promise<boolean> {
  const refusals = await tryCommit(context.table, {
    link: { delete: await verificationKey(token), ...ifPresent() },
    due: await referralDue(context.table, verification.userId),
    ...(verification.from === undefined
      ? confirmation(context.table, verification)
      : await move(context, verification, verification.from)),
  })
  if (refusals !== undefined) return false
  await settleReferral(context, verification)
  await notifyOldAddress(context, verification)
  return true
}

function confirmation(table: Table, { userId, email }: EmailVerification): Parts {
  return {
    user: userStore(table, userId).write.update(profileKey, {
      set: { emailVerified: true },
      if: '#email = :email',
      values: { email },
    }),
  }
}

/** The row of an address keeps it unique, so only one of several concurrent users gets it. */
async function move(
  ctx: AuditContext,
  { userId, email }: EmailVerification,
  from: NonNullable<EmailVerification['from']>,
): Promise<Parts> {
  return {
    address: { put: emailRows.put({ email }, { userId }), if: 'attribute_not_exists(pk)' },
    oldAddress: { delete: emailKey(from.email), if: '#userId = :userId', values: { userId } },
    user: userStore(ctx.table, userId).write.update(profileKey, {
      set: { email, emailVerified: true },
      remove: ['pendingEmail'],
      if: '#pendingEmail = :email AND #email = :from AND #accessEpoch = :epoch',
      values: { email, from: from.email, epoch: from.accessEpoch },
    }),
    audit: await audit(ctx, 'email.changed', {
      userId,
      target: userId,
      before: { email: from.email },
      after: { email },
    }),
  }
}

async function notifyOldAddress(
  context: Verifies,
  { userId, email, from }: EmailVerification,
): Promise<void> {
  if (from === undefined) return
  const user = await findUser(context.table, userId)
  await notify(context, userId, addressChangedMail(from.email, user?.name ?? '', email))
}
