import type { Context } from '../identity/context.ts'
import { PlatformError } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { commit } from '../platform/table/commit.ts'
import { insertUser } from './insert-user.ts'
import { verificationMail } from './mails/verification.ts'
import { notify, type NotifyContext } from './notify.ts'
import type { Passwords } from './password.ts'
import { creditReferrer, referralCredits, unknownReferral } from './referral.ts'
import type { Registration } from './schema.ts'
import { emailKey } from './user.ts'
import { newVerification, verificationLink } from './verification.ts'

export interface RegisterContext extends NotifyContext, Context {
  passwords: Passwords
  webUrl: string
}

/**
 * Makes a user, with everything that must be true at once in one transaction: the address taken, the referral code
 * taken, both sides of a referral credited. The verification mail comes after it and cannot undo it.
 * @throws PlatformError 409 for an address that has a user, 400 for an unknown referral code
 */
export async function register(
  ctx: RegisterContext,
  { email, password, name, referralCode: referredBy }: Registration,
): Promise<{ id: string; email: string; name: string }> {
  const { table, passwords, webUrl } = ctx
  if ((await table.get(emailKey(email))) !== undefined) throw emailTaken()
  const { user, parts } = await insertUser(ctx, {
    id: newId('user', ctx.seed),
    email,
    name: name || email,
    passwordHash: await passwords.hash(password),
    ...(referredBy !== undefined && { referredBy, credits: referralCredits }),
  })
  const verification = await newVerification({ userId: user.id, email })
  await commit(
    table,
    {
      ...parts,
      verification: { put: verification.item },
      referrer: referredBy === undefined ? undefined : await creditReferrer(table, referredBy),
    },
    { email: emailTaken, referrer: unknownReferral },
  )
  const link = verificationLink(webUrl, verification.token)
  await notify(ctx, user.id, verificationMail(email, user.name, link))
  return { id: user.id, email, name: user.name }
}

function emailTaken(): PlatformError {
  return new PlatformError('conflict', 'A user with this email already exists')
}
