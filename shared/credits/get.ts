import type * as z from 'zod'
import { findUser } from '../accounts/user.ts'
import type { UserContext } from '../identity/context.ts'
import { toCredits } from '../ledger/credit.ts'
import { notFound } from '../platform/errors.ts'
import type { creditsAnswer } from './schema.ts'

/** A user's credits, and how they can earn more. @throws PlatformError 404 for a user who was deleted meanwhile */
export async function getCredits({
  table,
  actor,
}: Pick<UserContext, 'table' | 'actor'>): Promise<z.input<typeof creditsAnswer>> {
  const user = await findUser(table, actor.user.id)
  if (user === undefined) throw notFound('User')
  const { creditMicroUsd, referralCode, referralCount, plan } = user
  return { credits: toCredits(creditMicroUsd), referralCode, referralCount, plan }
}
