import { findUserByEmail } from '../../accounts/user.ts'
import type { Arrival, Found, LinkContext } from './arrival.ts'
import { createUser } from './create-user.ts'
import { linkUser } from './link-user.ts'
import { linkRows } from './rows.ts'
import { keepToken } from './tokens.ts'

/** Sign-ins of one person that run into each other; each loses at most to one that made or linked the user. */
const tries = 5

/**
 * The user that a provider's person is: the one that they are linked to, else the one with their address, which becomes
 * linked, else a new one. However many sign-ins run at once, all of them get the same.
 * @throws SignInFailed Disabled
 */
export async function userOf(ctx: LinkContext, arrival: Arrival, attempt = 1): Promise<Found> {
  const { provider, profile } = arrival
  const link = await ctx.table.get(linkRows.key({ provider, subject: profile.subject }))
  if (link !== undefined) {
    const { userId } = linkRows.parse(link)
    await keepToken(ctx, { userId, ...arrival })
    return { userId, outcome: 'known' }
  }
  const user = await findUserByEmail(ctx.table, profile.email)
  const found =
    user === undefined ? await createUser(ctx, arrival) : await linkUser(ctx, { user, ...arrival })
  if (found !== 'overtaken') return found
  if (attempt === tries) throw new Error('the user of a sign-in changes all the time')
  return userOf(ctx, arrival, attempt + 1)
}
