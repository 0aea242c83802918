import { PlatformError } from '#shared/platform/errors.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { newId } from '#shared/platform/ids.ts'
import { commit } from '#shared/platform/table/commit.ts'
import { type CountsRequests, insertUser } from './insert-user.ts'
import { verificationMail } from './mails/verification.ts'
import { notify } from './notify.ts'
import type { HasPasswords } from './password.ts'
import { referralParts, unknownReferral } from './referral.ts'
import { userRows } from './rows.ts'
import type { Registration } from './schema.ts'
import { emailKey } from './user.ts'
import { newVerification, verificationLink } from './verification.ts'

/**
 * Creates a user in one transaction: the address and the referral code are reserved, and the referral is recorded. The
 * verification mail is sent afterwards; a failure to send it does not undo the registration.
 * @throws PlatformError 409 for an address that has a user, 400 for an unknown referral code, and the 429 of insertUser
 */
export async function register(
  ctx: Context & Can<'mailer' | 'webUrl'> & CountsRequests & HasPasswords,
  { email, password, name, referralCode: referredBy }: Registration,
): Promise<{ id: string; email: string; name: string }> {
  const { table, passwords, webUrl } = ctx
  if ((await table.get(emailKey(email))) !== undefined) throw emailTaken()
  const id = newId(userRows.id, ctx.seed)
  const referral =
    referredBy === undefined
      ? undefined
      : await referralParts(table, { code: referredBy, userId: id })
  const { user, parts } = await insertUser(ctx, {
    id,
    email,
    name: name || email,
    passwordHash: await passwords.hash(password),
    ...(referredBy !== undefined && { referredBy }),
  })
  const verification = await newVerification({ userId: id, email })
  await commit(
    table,
    { ...parts, ...referral, verification: { put: verification.item } },
    { email: emailTaken, referrer: unknownReferral },
  )
  const link = verificationLink(webUrl, verification.token)
  await notify(ctx, id, verificationMail(email, user.name, link))
  return { id, email, name: user.name }
}

function emailTaken(): PlatformError {
  return new PlatformError('conflict', 'A user with this email already exists')
}
