import { userRows } from '#shared/accounts/users/rows.ts'
import { isDeleted, toUser } from '#shared/accounts/users/user.ts'
import { unpaidCost } from '#shared/ai/turns/cost.ts'
import { useWrite } from '#shared/billing/payments/claims/claim.ts'
import { postCredits } from '#shared/money/ledger/post.ts'
import { audit, type AuditContext } from '#shared/platform/identity/audit.ts'
import { changeItem } from '#shared/platform/table/change-item.ts'
import type { Parts } from '#shared/platform/table/commit.ts'
import { divide } from './divide.ts'
import type { SaleKey } from './open.ts'
import { type Sale, saleRows, pendingAttributes, salesDue, settledSaleSeconds } from './rows.ts'

/**
 * The limits of waiting for a cost in the queue of settlements. It is usually recorded within seconds; after an hour it
 * no longer delays a sale.
 */
const lateCosts = { longestMs: 3_600_000, checkMs: 60_000 }

export interface SettledSale {
  key: SaleKey
  /** If set, the same transaction marks the claim of the payment as used, with the final purchase. */
  claim?: { bought: Record<string, unknown> }
  /**
   * Settles the sale only if it is in the state `settling` with this `since`; a sale that was opened again has another
   * value. If absent, a void sale is settled too.
   */
  onlySince?: number
}

/**
 * Settles a sale whose payment was settled. One transaction contains the division of the price, the owner's balance,
 * the ledger posting and the audit entry. The state of the sale prevents a second credit. An owner whose account is
 * deleted gets no credit. While the cost of one of the turn's calls waits in the queue, the sale is only marked as
 * paid, and the schedule settles it.
 * @returns undefined, without a write, if the sale does not exist or is already settled
 */
export async function settleSale(
  ctx: AuditContext,
  { key, claim, onlySince }: SettledSale,
  now = Date.now(),
): Promise<'settled' | 'waiting' | undefined> {
  const { table } = ctx
  let outcome: 'settled' | 'waiting' = 'settled'
  const isWritten = await changeItem(
    { table, key: saleRows.key(key) },
    async (item) => {
      const sale = item && saleRows.parse(item)
      if (sale === undefined || sale.state === 'settled') return undefined
      if (onlySince !== undefined && (sale.state === 'void' || sale.since !== onlySince))
        return undefined
      const use = claim && { claim: useWrite(key.payment, claim.bought) }
      const unchanged = {
        if: '#state = :state AND #since = :since',
        values: { state: sale.state, since: sale.since },
      }
      const cost = await costOf(ctx, sale)
      const isLate = cost?.isFinal === false && now < sale.since * 1000 + lateCosts.longestMs
      outcome = isLate ? 'waiting' : 'settled'
      if (isLate)
        return {
          update: {
            set: {
              state: 'settling',
              paid: true,
              ...salesDue.at(key.payment, now + lateCosts.checkMs),
            },
            ...unchanged,
          },
          also: { ...use },
        }
      // If the turn's row has expired, the cost at the time of the sale is used.
      const tokenCost = cost?.unpaid ?? sale.tokenCost
      const division = divide({ ...sale, tokenCost })
      const credited = division.net > 0 ? await creditOwner(ctx, sale, division.net) : {}
      const ownerless = credited === undefined && { ownerless: true }
      const parts: Parts = {
        ...credited,
        ...use,
      }
      return {
        update: {
          set: {
            state: 'settled',
            tokenCost,
            ...division,
            ...ownerless,
            expiresAt: Math.ceil(now / 1000) + settledSaleSeconds,
          },
          remove: pendingAttributes,
          ...unchanged,
        },
        also: parts,
      }
    },
    { again: ['balance', 'posting'] },
  )
  return isWritten ? outcome : undefined
}

async function costOf({ table }: AuditContext, { userId, turn }: Sale) {
  return turn === undefined ? undefined : unpaidCost(table, { userId, name: turn })
}

/** Returns the parts of the transaction that credit the owner. Undefined if the account is deleted. */
async function creditOwner(ctx: AuditContext, { userId, payment }: Sale, microUsd: number) {
  const key = userRows.key({ userId })
  const item = await ctx.table.get(key)
  const user = item && toUser(item)
  if (user === undefined || isDeleted(user)) return undefined
  const ref = `sale:${payment}`
  // The last release supports no other reason for earnings.
  const earned = { microUsd, reason: 'grant', ref } as const
  const { account, balance, posting } = postCredits(userId, user, earned)
  return {
    balance: {
      update: key,
      ...balance,
      // An account that is deleted in the meantime gets no credit.
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
