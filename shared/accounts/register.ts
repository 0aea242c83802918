import type { Context } from '../identity/context.ts'
import { postCredits } from '../ledger/post.ts'
import { PlatformError } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { commit } from '../platform/table/commit.ts'
import { insertUser, type NewUserContext } from './insert-user.ts'
import { verificationMail } from './mails/verification.ts'
import { notify, type NotifyContext } from './notify.ts'
import type { Passwords } from './password.ts'
import { creditReferrer, referralEntry, referralPosting } from './referral.ts'
import type { Registration } from './schema.ts'
import { userRows } from './rows.ts'
import { emailKey } from './user.ts'
import { newVerification, verificationLink } from './verification.ts'

export interface RegisterContext extends NotifyContext, Context, Pick<NewUserContext, 'count'> {
  passwords: Passwords
  webUrl: string
}

/**
 * Makes a user, with everything that must be true at once in one transaction: the address taken, the referral code
 * taken, both sides of a referral credited. The verification mail comes after it and cannot undo it.
 * @throws PlatformError 409 for an address that has a user, 400 for an unknown referral code, 429 as insertUser does
 */
export async function register(
  ctx: RegisterContext,
  { email, password, name, referralCode: referredBy }: Registration,
): Promise<{ id: string; email: string; name: string }> {
  const { table, passwords, webUrl } = ctx
  if ((await table.get(emailKey(email))) !== undefined) throw emailTaken()
  const id = newId(userRows.id, ctx.seed)
  const welcome =
    referredBy === undefined
      ? undefined
      : postCredits(id, { creditMicroUsd: 0 }, referralPosting(id))
  const { user, parts } = await insertUser(ctx, {
    id,
    email,
    name: name || email,
    passwordHash: await passwords.hash(password),
    ...(referredBy !== undefined && { referredBy, ...welcome?.account }),
  })
  const verification = await newVerification({ userId: id, email })
  const made = {
    ...parts,
    verification: { put: verification.item },
    posting: welcome?.posting,
    creditsAudit:
      welcome === undefined
        ? undefined
        : await referralEntry(ctx, {
            userId: id,
            by: id,
            before: 0,
            after: welcome.account.creditMicroUsd,
          }),
  }
  const errors = { email: emailTaken }
  if (referredBy === undefined) await commit(table, made, errors)
  else await creditReferrer(ctx, { code: referredBy, userId: id }, made, errors)
  const link = verificationLink(webUrl, verification.token)
  await notify(ctx, id, verificationMail(email, user.name, link))
  return { id, email, name: user.name }
}

function emailTaken(): PlatformError {
  return new PlatformError('conflict', 'A user with this email already exists')
}
