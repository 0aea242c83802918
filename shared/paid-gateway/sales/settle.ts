import { userRows } from '../../accounts/rows.ts'
import { isDeleted, toUser } from '../../accounts/user.ts'
import { audit, type AuditContext } from '../../identity/audit.ts'
import { postCredits } from '../../ledger/post.ts'
import { useWrite } from '../../payments/claims/claim.ts'
import { changeItem } from '../../platform/table/change-item.ts'
import type { Parts } from '../../platform/table/commit.ts'
import { unpaidCost } from '../../turns/cost.ts'
import { divide } from './divide.ts'
import type { SaleKey } from './open.ts'
import { type Sale, saleRows, untilKnown } from './rows.ts'

export interface SettledSale {
  key: SaleKey
  /** Uses the claim of the payment up in the same transaction, with what it has bought in the end. */
  claim?: { bought: Record<string, unknown> }
  /** Only this sale, if it is still settling: one that was opened again has another `since`. Absent: also a void one. */
  onlySince?: number
}

/**
 * Settles a sale whose payment was settled: in one transaction the sale's division, the owner's balance, the posting in the
 * ledger and the entry in the audit. The state of the sale keeps any repeat from crediting it again. An owner whose account
 * is deleted is credited nothing.
 * @returns false, with nothing written, if there is no such sale or it is settled already
 */
export async function settleSale(
  ctx: AuditContext,
  { key, claim, onlySince }: SettledSale,
): Promise<boolean> {
  const { table } = ctx
  return changeItem(
    { table, key: saleRows.key(key) },
    async (item) => {
      const sale = item && saleRows.parse(item)
      if (sale === undefined || sale.state === 'settled') return undefined
      if (onlySince !== undefined && (sale.state === 'void' || sale.since !== onlySince))
        return undefined
      const tokenCost = await tokenCostOf(ctx, sale)
      const division = divide({ ...sale, tokenCost })
      const credited = division.net > 0 ? await creditOwner(ctx, sale, division.net) : {}
      const ownerless = credited === undefined && { ownerless: true }
      const parts: Parts = {
        ...credited,
        ...(claim && { claim: useWrite(key.payment, claim.bought) }),
      }
      return {
        update: {
          set: { state: 'settled', tokenCost, ...division, ...ownerless },
          remove: untilKnown,
          if: '#state = :state AND #since = :since',
          values: { state: sale.state, since: sale.since },
        },
        also: parts,
      }
    },
    { again: ['balance', 'posting'] },
  )
}

/** As the turn's row says now; as it was when the answer was sold, if that row is no longer kept. */
async function tokenCostOf(
  { table }: AuditContext,
  { userId, turn, tokenCost }: Sale,
): Promise<number> {
  const cost = turn === undefined ? undefined : await unpaidCost(table, { userId, name: turn })
  return cost ?? tokenCost
}

/** The parts that credit the owner; undefined for one whose account is deleted. */
async function creditOwner(ctx: AuditContext, { userId, payment }: Sale, microUsd: number) {
  const key = userRows.key({ userId })
  const item = await ctx.table.get(key)
  const user = item && toUser(item)
  if (user === undefined || isDeleted(user)) return undefined
  const ref = `sale:${payment}`
  // The last release reads no other reason for what was earned.
  const earned = { microUsd, reason: 'grant', ref } as const
  const { account, balance, posting } = postCredits(userId, user, earned)
  return {
    balance: {
      update: key,
      ...balance,
      // An account that is deleted meanwhile is credited nothing.
      if: `${balance.if} AND attribute_not_exists(#deletedAt)`,
    },
    posting,
    audit: await audit(ctx, 'credits.granted', {
      userId,
      target: ref,
      before: { creditMicroUsd: user.creditMicroUsd },
      after: { creditMicroUsd: account.creditMicroUsd },
      unproven: true,
    }),
  }
}
