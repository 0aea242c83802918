import { fromFloat } from '#shared/money/amounts/amount.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import { visitDays } from '../queries/read.ts'
import { userKeyRows, userRollupRows } from '../rows.ts'
import type { Claim } from './claims.ts'
import { toMicroUsd } from './micro-usd.ts'
import { attributes, type QuotaRow } from './row.ts'

/**
 * Begins the spend rows of refused claims that do not count yet, with the earlier spending of their period: a limit
 * that is set during a period also counts what was spent before it. Calls in progress at that moment are not counted.
 * @returns true if a row has begun
 */
export async function beginPeriods(
  table: Table,
  refused: readonly (Claim & { row: QuotaRow })[],
  now: number,
): Promise<boolean> {
  const begun = refused.flatMap(({ hold: { key, expiresAt }, spends, row }) =>
    spends === undefined || row.begun ? [] : [{ key, expiresAt, spends }],
  )
  await Promise.all(
    begun.map(async ({ key, expiresAt, spends }) => {
      const { committed, used } = attributes.microUsd
      const microUsd = await spentIn(table, spends)
      // If another call has begun the row first, the caller's loop uses that row.
      await tryWrite(
        table.update(key, {
          set: { begunAt: epochSeconds(now), ...(expiresAt !== undefined && { expiresAt }) },
          add: { [used]: microUsd, [committed]: microUsd },
          if: 'attribute_not_exists(#begunAt)',
        }),
      )
    }),
  )
  return begun.length > 0
}

/** Returns the recorded spending of a period in micro-USD. */
export async function spentIn(
  table: Table,
  { of, spender, userId, days }: NonNullable<Claim['spends']>,
): Promise<number> {
  let total = 0
  const query = { scope: { userId }, days, consistent: true }
  if (of === 'key')
    await visitDays(table, { ...query, rows: userKeyRows }, (item) => {
      const { keyId, costUsd } = userKeyRows.parse(item)
      if (keyId === spender) total += costUsd
    })
  else
    await visitDays(table, { ...query, rows: userRollupRows }, (item) => {
      const { agentId, costUsd } = userRollupRows.parse(item)
      if (of === 'user' || agentId === spender) total += costUsd
    })
  return toMicroUsd(fromFloat('USD', total, 'up'))
}
