import type { Condition, Item, Write } from '#shared/platform/table/port.ts'
import { walletsDue } from './due.ts'
import type { Split } from './record.ts'
import { openSplitRows, inKey, splitRows, workRows } from './rows.ts'

/** The time after which the tick requests another check. */
export const overdueMs = 45_000

/** Returns the write that updates a split, on condition that it has not changed. */
export function changeSplit(
  before: Split,
  after: Split,
): { put: Item } & Condition & { if: string } {
  return {
    put: splitRows.put(
      { splitId: String(before.splitId) },
      { ...after, revision: before.revision + 1 },
    ),
    if: '#revision = :seen',
    values: { seen: before.revision },
  }
}

/**
 * Returns the writes that add a split to its wallet's queue. The job finds it there, or the tick if the job's message
 * is lost.
 */
export function openParts(
  { splitId, fromAddress }: Pick<Split, 'splitId' | 'fromAddress'>,
  now: number,
): Record<'open' | 'work', Write> {
  const wallet = fromAddress.toLowerCase()
  return {
    open: { put: openSplitRows.put({ wallet, number: inKey(splitId) }, { splitId }) },
    work: {
      update: workRows.key({ wallet }),
      // A concurrent check may have read no split; a new turn prevents it from removing the wallet from the index.
      add: { turn: 1 },
      set: { wallet, ...walletsDue.at(wallet, now + overdueMs) },
    },
  }
}
