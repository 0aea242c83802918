import { profileKey, type User } from '../../accounts/user.ts'
import { withoutConflicts } from '../../platform/table/conflict.ts'
import { TransactionFailed, type Write } from '../../platform/table/port.ts'
import { userStore } from '../../platform/table/user-store.ts'
import { SignInFailed } from '../provider.ts'
import { mayUse } from './access.ts'
import { linkKey, linkRowKey } from './rows.ts'
import { newLink } from './tokens.ts'
import { unlinkCredentials } from './unlink-credentials.ts'
import type { Arrival, Found, LinkContext } from './user-of.ts'

/**
 * Links a provider's person to the user with their address. Whoever made a user without proving the address may not
 * own it, so everything that lets them in goes first; then the provider's word verifies the address.
 * @throws SignInFailed Disabled
 */
export async function linkUser(
  context: LinkContext,
  user: User,
  arrival: Arrival,
): Promise<Found | 'overtaken'> {
  const { table } = context
  const { provider, profile } = arrival
  if (!(await mayUse(table, user.id, provider))) throw new SignInFailed('Disabled')
  const proven = user.emailVerified ? stillVerified(context, user) : await verify(context, user)
  if (proven === 'overtaken') return 'overtaken'
  const link = await newLink(context, user.id, arrival)
  const writes = [
    {
      put: { ...linkKey(provider, profile.subject), userId: user.id },
      if: 'attribute_not_exists(pk)',
    },
    proven,
    userStore(table, user.id).write.put(linkRowKey(provider, profile.subject), link),
  ]
  try {
    await withoutConflicts(() => table.transact(writes))
    return { userId: user.id, outcome: 'linked' }
  } catch (error) {
    if (!(error instanceof TransactionFailed)) throw error
    if (error.refused(0) || error.refused(1)) return 'overtaken'
    throw error
  }
}

function stillVerified({ table }: LinkContext, { id, email }: User): Write {
  return userStore(table, id).write.check(profileKey, {
    if: '#email = :email AND #emailVerified = :yes',
    values: { email, yes: true },
  })
}

/**
 * The write that verifies the address, provided that nothing that could let anyone in has come up meanwhile. It begins
 * one more access epoch, so that another sign-in that still has the address for unproven does not end what this begins.
 */
async function verify({ table }: LinkContext, user: User): Promise<Write | 'overtaken'> {
  const accessEpoch = await unlinkCredentials(table, user)
  if (accessEpoch === undefined) return 'overtaken'
  return userStore(table, user.id).write.update(profileKey, {
    set: { emailVerified: true },
    add: { accessEpoch: 1 },
    if: '#accessEpoch >= :accessEpoch AND #email = :email AND attribute_not_exists(#passwordHash)',
    values: { accessEpoch, email: user.email },
  })
}
