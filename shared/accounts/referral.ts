import { PlatformError } from '../platform/errors.ts'
import type { Table, Write } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { referralRows } from './rows.ts'
import { profileKey } from './user.ts'

/** What a referral gives to both sides: contract.md 2. */
export const referralCredits = 10

/** Without 0, 1, I and O, which people mistake for others; 32 of them, so that a byte picks one without bias. */
const letters = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'

/** A code that a user can hand on: 8 characters, 40 random bits. */
export function newReferralCode(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(8))
  return Array.from(bytes, (byte) => letters[byte % letters.length]).join('')
}

/** The write that credits a code's owner. @throws PlatformError 400 for a code that no user has */
export async function creditReferrer(table: Table, code: string): Promise<Write> {
  const row = await table.get(referralRows.key({ code }))
  if (row === undefined) throw unknownReferral()
  return userStore(table, referralRows.parse(row).userId).write.update(profileKey, {
    add: { credits: referralCredits, referralCount: 1 },
    if: 'attribute_exists(pk)',
  })
}

export function unknownReferral(): PlatformError {
  return new PlatformError('bad-request', 'referralCode is not known')
}
