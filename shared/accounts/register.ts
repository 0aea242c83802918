import { withoutConflicts } from '../platform/table/conflict.ts'
import { PlatformError } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { type Table, TransactionFailed, type Write } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { verificationMail } from './mails/verification.ts'
import { notify, type NotifyContext } from './notify.ts'
import type { Passwords } from './password.ts'
import { creditReferrer, newReferralCode, referralCredits, unknownReferral } from './referral.ts'
import type { Registration } from './schema.ts'
import { emailKey, newUser, profileKey, referralKey, type User } from './user.ts'
import { newVerification, verificationLink } from './verification.ts'

export interface RegisterContext extends NotifyContext {
  table: Table
  passwords: Passwords
  webUrl: string
  /** The id of the user to be comes from it. */
  seed: string
}

/**
 * Makes a user, with everything that must be true at once in one transaction: the address taken, the referral code
 * taken, both sides of a referral credited. The verification mail comes after it and cannot undo it.
 * @throws PlatformError 409 for an address that has a user, 400 for an unknown referral code
 */
export async function register(
  context: RegisterContext,
  { email, password, name, referralCode }: Registration,
): Promise<{ id: string; email: string; name: string }> {
  const { table, passwords } = context
  if ((await table.get(emailKey(email))) !== undefined) throw emailTaken()
  const user = {
    id: newId('user', context.seed),
    email,
    name: name || email,
    passwordHash: await passwords.hash(password),
  }
  const verification = await newVerification({ userId: user.id, email })
  await commit(table, user, { put: verification.item }, referralCode)
  const link = verificationLink(context.webUrl, verification.token)
  await notify(context, user.id, verificationMail(email, user.name, link))
  return { id: user.id, email, name: user.name }
}

type NewUser = Pick<User, 'id' | 'email' | 'name'> & { passwordHash: string }

async function commit(
  table: Table,
  user: NewUser,
  verification: Write,
  referredBy: string | undefined,
): Promise<void> {
  const referralCode = newReferralCode()
  const absent = { if: 'attribute_not_exists(pk)' }
  const profile = newUser({
    ...user,
    referralCode,
    credits: referredBy === undefined ? 0 : referralCredits,
    ...(referredBy !== undefined && { referredBy }),
  })
  const writes = [
    { put: { ...emailKey(user.email), userId: user.id }, ...absent },
    { put: { ...referralKey(referralCode), userId: user.id }, ...absent },
    userStore(table, user.id).write.put(profileKey, { ...profile }, absent),
    verification,
    ...(referredBy === undefined ? [] : [await creditReferrer(table, referredBy)]),
  ]
  try {
    // A popular referral code makes transactions meet at its owner's row.
    await withoutConflicts(() => table.transact(writes))
  } catch (error) {
    if (!(error instanceof TransactionFailed)) throw error
    if (error.refused(0)) throw emailTaken()
    if (error.refused(4)) throw unknownReferral()
    throw error
  }
}

function emailTaken(): PlatformError {
  return new PlatformError('conflict', 'A user with this email already exists')
}
