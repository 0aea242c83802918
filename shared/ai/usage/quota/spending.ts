import type { Table } from '#shared/platform/table/port.ts'
import { spentIn } from './begin.ts'
import { claimsOf, type QuotaRequest } from './claims.ts'
import { limitsOf } from './refusal.ts'
import { toQuota } from './row.ts'

/** The settled spending under one cap, in micro-USD. Calls in progress are not included. */
export interface CappedSpending {
  used: number
  cap: number
}

/** Returns the spending under each cap of a spender. */
export async function spendingOf(
  table: Table,
  caps: Pick<QuotaRequest, 'userId' | 'agentId' | 'cap' | 'agentCap' | 'spendLimits'>,
  now = Date.now(),
): Promise<CappedSpending[]> {
  const amounts = { tokens: 0, microUsd: 0 }
  const claims = claimsOf({ ...caps, plan: '', limit: null, amounts }, now).flatMap((claim) => {
    const cap = limitsOf(claim.limits).microUsd
    return cap === undefined ? [] : [{ ...claim, cap }]
  })
  const rows = await table.getMany(claims.map(({ hold }) => hold.key))
  return Promise.all(
    claims.map(async ({ cap, spends }, i) => {
      const row = toQuota(rows[i])
      // The row of a period is created by the first call under its limit. Before, the usage events are added up.
      const hasBegun = spends === undefined || row.begun
      return { cap, used: hasBegun ? row.microUsd.used : await spentIn(table, spends) }
    }),
  )
}
