import { findUserByEmail } from '#shared/accounts/users/user.ts'
import type { Arrival, Found, LinkContext } from './arrival.ts'
import { createUser } from './create-user.ts'
import { linkUser } from './link-user.ts'
import { linkRows } from './rows.ts'
import { replaceToken } from './tokens.ts'

/**
 * Attempts for concurrent sign-ins of one person: an attempt fails only if another sign-in has created or linked the
 * user.
 */
const tries = 5

/**
 * Returns the user of a provider's person: the linked user, otherwise the user with the same address, whom it links,
 * otherwise a new user. All concurrent sign-ins get the same user.
 * @throws SignInFailed Disabled
 */
export async function userOf(ctx: LinkContext, arrival: Arrival, attempt = 1): Promise<Found> {
  const { provider, profile } = arrival
  const link = await ctx.table.get(linkRows.key({ provider, subject: profile.subject }))
  if (link !== undefined) {
    const { userId } = linkRows.parse(link)
    await replaceToken(ctx, { userId, ...arrival })
    return { userId, outcome: 'known' }
  }
  const user = await findUserByEmail(ctx.table, profile.email)
  const found =
    user === undefined ? await createUser(ctx, arrival) : await linkUser(ctx, { user, ...arrival })
  if (found !== 'overtaken') return found
  if (attempt === tries) throw new Error('the user of a sign-in kept changing')
  return userOf(ctx, arrival, attempt + 1)
}
