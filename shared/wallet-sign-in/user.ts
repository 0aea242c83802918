import { type Address, getAddress } from 'viem'
import { newReferralCode } from '../accounts/referral.ts'
import { emailKey, findUser, newUser, profileKey, referralKey } from '../accounts/user.ts'
import { withoutConflicts } from '../platform/table/conflict.ts'
import { newId } from '../platform/ids.ts'
import { type Key, type Table, TransactionFailed } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'

/** Where a wallet says whose it is. One account has one row, however its address is spelt. */
export function walletKey(address: Address): Key {
  return { pk: `wallet#${address.toLowerCase()}`, sk: 'wallet' }
}

/**
 * The user that a wallet is linked to, made with its first sign-in. Never found by email: an address under
 * `wallet.service` proves nothing.
 */
export async function userOfWallet(
  table: Table,
  address: Address,
  seed: string,
): Promise<{ id: string; name: string }> {
  const known = await findLinked(table, address)
  if (known !== undefined) return known
  try {
    return await create(table, address, seed)
  } catch (error) {
    if (!(error instanceof TransactionFailed && error.refused(0))) throw error
    // Another sign-in of the same wallet was first.
    const made = await findLinked(table, address)
    if (made === undefined) throw error
    return made
  }
}

async function findLinked(table: Table, address: Address) {
  const link = await table.get(walletKey(address))
  if (link === undefined) return undefined
  const user = await findUser(table, String(link.userId))
  if (user === undefined) throw new Error('a wallet is linked to a user that does not exist')
  return { id: user.id, name: user.name }
}

/** The user with everything that must be theirs alone, or nothing: spec.md, User. */
async function create(table: Table, address: Address, seed: string) {
  const id = newId('user', seed)
  const shown = getAddress(address)
  const name = `Wallet:${shown.slice(0, 6)}...${shown.slice(-4)}`
  const email = `${address.toLowerCase()}@wallet.service`
  const referralCode = newReferralCode()
  const absent = { if: 'attribute_not_exists(pk)' }
  const profile = newUser({ id, email, name, referralCode, credits: 0 })
  await withoutConflicts(() =>
    table.transact([
      { put: { ...walletKey(address), userId: id, linkedAt: profile.createdAt }, ...absent },
      { put: { ...emailKey(email), userId: id }, ...absent },
      { put: { ...referralKey(referralCode), userId: id }, ...absent },
      userStore(table, id).write.put(profileKey, { ...profile }, absent),
    ]),
  )
  return { id, name }
}
