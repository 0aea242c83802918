import { withoutConflicts } from '../platform/table/conflict.ts'
import { type Table, TransactionFailed, type Write } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { addressChangedMail } from './mails/address.ts'
import { notify, type NotifyContext } from './notify.ts'
import { emailKey, findUser, profileKey } from './user.ts'
import { type Verification, verificationKey } from './verification.ts'

export interface VerifyEmailContext extends NotifyContext {
  table: Table
}

/**
 * Marks the address verified that a link was sent to, and makes it the user's where they asked for that. A link works
 * once, and only while the user still has, or still wants, the address that it proves.
 * @returns whether it worked
 */
export async function verifyEmail(context: VerifyEmailContext, token: string): Promise<boolean> {
  const { table } = context
  const key = await verificationKey(token)
  const row = await table.get(key)
  if (row === undefined) return false
  const verification = row as unknown as Verification
  const writes = [{ delete: key, if: 'attribute_exists(pk)' }, ...effect(table, verification)]
  try {
    await withoutConflicts(() => table.transact(writes))
  } catch (error) {
    if (!(error instanceof TransactionFailed)) throw error
    if (writes.some((_, index) => error.refused(index))) return false
    throw error
  }
  await tellOldAddress(context, verification)
  return true
}

function effect(table: Table, verification: Verification): Write[] {
  return verification.from === undefined
    ? [confirmation(table, verification)]
    : move(table, verification, verification.from)
}

function confirmation(table: Table, { userId, email }: Verification): Write {
  return userStore(table, userId).write.update(profileKey, {
    set: { emailVerified: true },
    if: '#email = :email',
    values: { email },
  })
}

/** The row of an address keeps it unique, so of all who want one at the same time one gets it. */
function move(
  table: Table,
  { userId, email }: Verification,
  from: NonNullable<Verification['from']>,
): Write[] {
  return [
    { put: { ...emailKey(email), userId }, if: 'attribute_not_exists(pk)' },
    { delete: emailKey(from.email), if: '#userId = :userId', values: { userId } },
    userStore(table, userId).write.update(profileKey, {
      set: { email, emailVerified: true },
      remove: ['pendingEmail'],
      if: '#pendingEmail = :email AND #email = :from AND #accessEpoch = :epoch',
      values: { email, from: from.email, epoch: from.accessEpoch },
    }),
  ]
}

async function tellOldAddress(
  context: VerifyEmailContext,
  { userId, email, from }: Verification,
): Promise<void> {
  if (from === undefined) return
  const user = await findUser(context.table, userId)
  await notify(context, userId, addressChangedMail(from.email, user?.name ?? '', email))
}
