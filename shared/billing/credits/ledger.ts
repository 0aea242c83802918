import type * as z from 'zod'
import { findUser } from '#shared/accounts/users/user.ts'
import { toCredits } from '#shared/money/ledger/credit.ts'
import { inDigits } from '#shared/money/ledger/post.ts'
import { creditRows } from '#shared/money/ledger/rows.ts'
import { notFound } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import type { ledgerAnswer, LedgerQuery } from './schema.ts'

/**
 * Lists a page of the caller's postings, newest first. Postings are numbered without gaps, so any page is read
 * directly.
 * @throws PlatformError 404 if the user is deleted
 */
export async function creditLedger(
  { table, owner }: Pick<UserContext, 'table' | 'owner'>,
  { limit, offset }: LedgerQuery,
): Promise<z.input<typeof ledgerAnswer>> {
  const user = await findUser(table, owner)
  if (user === undefined) throw notFound('User')
  const newest = (user.creditPostings ?? 0) - offset
  if (newest < 1 || limit === 0) return { entries: [] }
  const oldest = Math.max(1, newest - limit + 1)
  const keyOf = (number: number) => creditRows.sk({ number: inDigits(number) })
  const items = await allItems((from) =>
    userStore(table, owner).query({
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
