import type * as z from 'zod'
import { findUser } from '../accounts/user.ts'
import type { UserContext } from '../identity/context.ts'
import { toCredits } from '../ledger/credit.ts'
import { inDigits } from '../ledger/post.ts'
import { creditRows } from '../ledger/rows.ts'
import { notFound } from '../platform/errors.ts'
import { allItems } from '../platform/table/pages.ts'
import { userStore } from '../platform/table/user-store.ts'
import type { ledgerAnswer, LedgerQuery } from './schema.ts'

/**
 * Lists a page of the caller's postings, newest first. Postings are numbered without gaps, so any page is read
 * directly.
 * @throws PlatformError 404 if the user is deleted
 */
export async function creditLedger(
  { table, actor }: Pick<UserContext, 'table' | 'actor'>,
  { limit, offset }: LedgerQuery,
): Promise<z.input<typeof ledgerAnswer>> {
  const userId = actor.user.id
  const user = await findUser(table, userId)
  if (user === undefined) throw notFound('User')
  const newest = (user.creditPostings ?? 0) - offset
  if (newest < 1 || limit === 0) return { entries: [] }
  const oldest = Math.max(1, newest - limit + 1)
  const keyOf = (number: number) => creditRows.sk({ number: inDigits(number) })
  const items = await allItems((from) =>
    userStore(table, userId).query({
      between: [keyOf(oldest), keyOf(newest)],
      descending: true,
      ...from,
    }),
  )
  return {
    entries: items.map((item) => {
      const { at, microUsd, reason, balanceMicroUsd } = creditRows.parse(item)
      return { at, amount: toCredits(microUsd), reason, balance: toCredits(balanceMicroUsd) }
    }),
  }
}
