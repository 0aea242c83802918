import type * as z from 'zod'
import { findUser } from '#shared/accounts/users/user.ts'
import { toCredits } from '#shared/money/ledger/credit.ts'
import { notFound } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import type { creditsAnswer } from './schema.ts'

/**
 * Returns a user's credits and referral code.
 * @throws PlatformError 404 if the user is deleted
 */
export async function getCredits({
  table,
  owner,
}: Pick<UserContext, 'table' | 'owner'>): Promise<z.input<typeof creditsAnswer>> {
  const user = await findUser(table, owner)
  if (user === undefined) throw notFound('User')
  const { creditMicroUsd, referralCode, referralCount, plan } = user
  return { credits: toCredits(creditMicroUsd), referralCode, referralCount, plan }
}
