import { findUser } from '../../accounts/user.ts'
import { inDigits } from '../../ledger/post.ts'
import { creditRows, ledgerPartition, ledgerShards } from '../../ledger/rows.ts'
import type { Log } from '../../platform/log.ts'
import { everyItem } from '../../platform/table/pages.ts'
import type { Table } from '../../platform/table/port.ts'
import { userStore } from '../../platform/table/user-store.ts'

/**
 * What is wrong with a user's credits. `negative`: the balance is below zero. `gap`: a posting is missing. `posting`: one
 * tells of another balance than those before it add up to. `balance`: the user's row does.
 */
type Fault = 'negative' | 'gap' | 'posting' | 'balance'

/**
 * Adds up every user's postings and compares the sum with the balance. It writes each difference to the log, with a
 * metric, and changes nothing. Postings that are made meanwhile make no difference: those count that the user's row
 * counted when it was read.
 * @returns how many ledgers there are, and how many are not right
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
        'a balance is not its ledger’s',
        { userId, ...found },
        { by: [['function']], of: { LedgerDifferences: [1, 'Count'] } },
      )
    }
  }
  await Promise.all(Array.from({ length: ledgerShards }, (_, shard) => checkShard(shard)))
  return { ledgers, ledgerDifferences }
}

/** Undefined for a ledger that is right, and for a user who is gone. */
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
    // A user who had credits before there was a ledger has them before the first posting.
    if (number === 1) sum = Math.max(0, balanceMicroUsd - microUsd)
    sum += microUsd
    if (balanceMicroUsd !== sum) return wrong('posting')
  }
  if (number < postings) return wrong('gap')
  return sum === balance ? undefined : wrong('balance')
}
