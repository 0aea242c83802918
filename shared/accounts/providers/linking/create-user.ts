import { insertUser } from '#shared/accounts/users/insert-user.ts'
import { userRows } from '#shared/accounts/users/rows.ts'
import { newId } from '#shared/platform/ids.ts'
import { TransactionRefused, tryCommit } from '#shared/platform/table/commit.ts'
import type { Arrival, Found, LinkContext } from './arrival.ts'
import { linkParts } from './link-parts.ts'

/**
 * Creates a user who signs in with a provider only, with a verified address.
 * @returns `overtaken` if another request has created a user for the address or the provider's person
 */
export async function createUser(ctx: LinkContext, arrival: Arrival): Promise<Found | 'overtaken'> {
  const { email, name } = arrival.profile
  const newUser = { id: newId(userRows.id, ctx.seed), email, emailVerified: true, name }
  const { user, parts } = await insertUser(ctx, newUser)
  const link = await linkParts(ctx, { userId: user.id, ...arrival })
  const refusals = await tryCommit(ctx.table, { ...parts, ...link })
  if (refusals === undefined) return { userId: user.id, outcome: 'created' }
  if (refusals.email ?? refusals.person) return 'overtaken'
  throw new TransactionRefused(refusals)
}
