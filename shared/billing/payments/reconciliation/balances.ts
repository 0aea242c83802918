import { findUser } from '#shared/accounts/users/user.ts'
import { inDigits } from '#shared/money/ledger/post.ts'
import { creditRows, ledgerPartition, ledgerShards } from '#shared/money/ledger/rows.ts'
import type { Log } from '#shared/platform/log.ts'
import { everyItem } from '#shared/platform/table/pages.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'

/**
 * The fault of a ledger. `negative`: the balance is below zero. `gap`: a posting is missing. `posting`: the balance in
 * a posting differs from the sum so far. `balance`: the balance in the user's row differs from the sum.
 */
type Fault = 'negative' | 'gap' | 'posting' | 'balance'

/**
 * Compares every user's balance with the sum of the postings. Logs each difference with a metric and changes nothing.
 * Concurrent postings cause no false difference: only the postings that were counted in the user's row when it was read
 * are added.
 * @returns the number of ledgers and of faulty ledgers
 */
export async function checkBalances({
  table,
  log,
}: {
  table: Table
  log: Log
}): Promise<{ ledgers: number; ledgerDifferences: number }> {
  let ledgers = 0
  let ledgerDifferences = 0
  const checkShard = async (shard: number) => {
    const query = { index: 'gsi1', pk: ledgerPartition(shard) } as const
    for await (const { gsi1sk } of everyItem((from) => table.query({ ...query, ...from }))) {
      const userId = String(gsi1sk)
      ledgers++
      const found = await checkLedger(table, userId)
      if (found === undefined) continue
      ledgerDifferences++
      log.error(
        'a balance differs from its ledger',
        { userId, ...found },
        { by: [['function']], of: { LedgerDifferences: [1, 'Count'] } },
      )
    }
  }
  await Promise.all(Array.from({ length: ledgerShards }, (_, shard) => checkShard(shard)))
  return { ledgers, ledgerDifferences }
}

/** Returns undefined for a correct ledger and for a deleted user. */
async function checkLedger(
  table: Table,
  userId: string,
): Promise<{ fault: Fault; balance: number; sum: number } | undefined> {
  const user = await findUser(table, userId)
  if (user === undefined) return undefined
  const { creditMicroUsd: balance, creditPostings: postings = 0 } = user
  let sum = 0
  const wrong = (fault: Fault) => ({ fault, balance, sum })
  if (balance < 0) return wrong('negative')
  const store = userStore(table, userId)
  const query = { beginsWith: creditRows.prefix(), consistent: true }
  let number = 0
  for await (const item of everyItem((from) => store.query({ ...query, ...from }))) {
    if (number === postings) break
    number++
    if (item.sk !== creditRows.sk({ number: inDigits(number) })) return wrong('gap')
    const { microUsd, balanceMicroUsd } = creditRows.parse(item)
    // The first posting's balance includes credits from before the ledger existed.
    if (number === 1) sum = Math.max(0, balanceMicroUsd - microUsd)
    sum += microUsd
    if (balanceMicroUsd !== sum) return wrong('posting')
  }
  if (number < postings) return wrong('gap')
  return sum === balance ? undefined : wrong('balance')
}
