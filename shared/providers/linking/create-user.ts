import { newReferralCode } from '../../accounts/referral.ts'
import { emailKey, newUser, profileKey, referralKey } from '../../accounts/user.ts'
import { withoutConflicts } from '../../platform/table/conflict.ts'
import { newId } from '../../platform/ids.ts'
import { TransactionFailed } from '../../platform/table/port.ts'
import { userStore } from '../../platform/table/user-store.ts'
import { linkKey, linkRowKey } from './rows.ts'
import { newLink } from './tokens.ts'
import type { Arrival, Found, LinkContext } from './user-of.ts'

/** Makes a user who signs in by a provider only, with a verified address, or tells that somebody was first. */
export async function createUser(
  context: LinkContext,
  arrival: Arrival,
): Promise<Found | 'overtaken'> {
  const { table, seed } = context
  const { provider, profile } = arrival
  const userId = newId('user', seed)
  const { email, name, subject } = profile
  const referralCode = newReferralCode()
  const user = newUser({ id: userId, email, emailVerified: true, name, referralCode, credits: 0 })
  const { write } = userStore(table, userId)
  const absent = { if: 'attribute_not_exists(pk)' }
  const writes = [
    { put: { ...emailKey(email), userId }, ...absent },
    { put: { ...linkKey(provider, subject), userId }, ...absent },
    { put: { ...referralKey(referralCode), userId }, ...absent },
    write.put(profileKey, { ...user }, absent),
    write.put(linkRowKey(provider, subject), await newLink(context, userId, arrival)),
  ]
  try {
    await withoutConflicts(() => table.transact(writes))
    return { userId, outcome: 'created' }
  } catch (error) {
    if (!(error instanceof TransactionFailed)) throw error
    if (error.refused(0) || error.refused(1)) return 'overtaken'
    throw error
  }
}
