import type { Condition, Item, Write } from '../platform/table/port.ts'
import type { Split } from './record.ts'
import { workIndex } from './due.ts'
import { openSplitRows, inKey, splitRows, workRows } from './rows.ts'

/** How long a look at a wallet that was asked for may be under way before the tick asks again. */
export const overdueMs = 45_000

/** The write that moves a split, on condition that it still is as the decision saw it. */
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

/** What makes a split one of those that its wallet is to pay: the job finds it, and the tick where the message is lost. */
export function openParts(
  { splitId, fromAddress }: Pick<Split, 'splitId' | 'fromAddress'>,
  now: number,
): Record<'open' | 'work', Write> {
  const wallet = fromAddress.toLowerCase()
  return {
    open: { put: openSplitRows.put({ wallet, number: inKey(splitId) }, { splitId }) },
    work: {
      update: workRows.key({ wallet }),
      // A look that is under way may have seen none: a new turn keeps it from taking the wallet out of the index.
      add: { turn: 1 },
      set: { wallet, ...workIndex(wallet, now + overdueMs) },
    },
  }
}
