import type * as z from 'zod'
import { findUser } from '../accounts/user.ts'
import { notFound } from '../platform/errors.ts'
import type { Table } from '../platform/table/port.ts'
import type { creditsAnswer } from './schema.ts'

/** A user's credits, and how they can earn more. @throws PlatformError 404 for a user who was deleted meanwhile */
export async function getCredits(
  table: Table,
  userId: string,
): Promise<z.input<typeof creditsAnswer>> {
  const user = await findUser(table, userId)
  if (user === undefined) throw notFound('User')
  const { credits, referralCode, referralCount, plan } = user
  return { credits, referralCode, referralCount, plan }
}
