import { readSplit } from '#shared/network/splits/find.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { type ListPage, newestPage, type PageQuery } from '#shared/platform/table/pages.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { withdrawalRows } from './rows.ts'
import type { WithdrawalView } from './schema.ts'

/** Lists a user's withdrawals with their states, newest first. */
export async function listWithdrawals(
  { table, owner }: UserContext,
  { limit, cursor }: PageQuery,
): Promise<ListPage<WithdrawalView>> {
  const beginsWith = withdrawalRows.prefix()
  const { items, next } = await newestPage(userStore(table, owner), { beginsWith, limit, cursor })
  const views = items.map(async (item): Promise<WithdrawalView> => {
    const { splitId, ...withdrawal } = withdrawalRows.parse(item)
    const split = await readSplit(table, splitId)
    if (split === undefined) throw new Error(`split ${splitId} does not exist`)
    const { status: state, completedAt = null, reason, recipients } = split
    const [recipient] = recipients
    return Object.assign(withdrawal, {
      state,
      txHash: recipient?.txHash ?? null,
      reason: reason ?? recipient?.reason ?? null,
      completedAt,
    })
  })
  return { items: await Promise.all(views), next }
}
