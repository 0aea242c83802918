import { findUserByEmail } from '../../accounts/user.ts'
import type { Sealer } from '../../platform/seal.ts'
import type { Table } from '../../platform/table/port.ts'
import type { ProviderName, ProviderProfile } from '../provider.ts'
import { createUser } from './create-user.ts'
import { linkUser } from './link-user.ts'
import { linkKey } from './rows.ts'
import { keepToken } from './tokens.ts'

export interface LinkContext {
  table: Table
  sealer: Sealer
  /** The id of a user to be comes from it. */
  seed: string
}

/** Somebody signs in by a provider. */
export interface Arrival {
  provider: ProviderName
  profile: ProviderProfile
}

export interface Found {
  userId: string
  outcome: 'known' | 'linked' | 'created'
}

/** Sign-ins of one person that run into each other; each loses at most to one that made or linked the user. */
const tries = 5

/**
 * The user that a provider's person is: the one that they are linked to, else the one with their address, which becomes
 * linked, else a new one. However many sign-ins run at once, all of them get the same.
 * @throws SignInFailed Disabled
 */
export async function userOf(context: LinkContext, arrival: Arrival, attempt = 1): Promise<Found> {
  const { provider, profile } = arrival
  const link = await context.table.get(linkKey(provider, profile.subject))
  if (link !== undefined) {
    const userId = String(link.userId)
    await keepToken(context, userId, arrival)
    return { userId, outcome: 'known' }
  }
  const user = await findUserByEmail(context.table, profile.email)
  const found =
    user === undefined ? await createUser(context, arrival) : await linkUser(context, user, arrival)
  if (found !== 'overtaken') return found
  if (attempt === tries) throw new Error('the user of a sign-in changes all the time')
  return userOf(context, arrival, attempt + 1)
}
