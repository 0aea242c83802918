import type { Queues } from '#shared/platform/queues/port.ts'
import type { Item, Table } from '#shared/platform/table/port.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { visitDue } from '#shared/platform/table/visit-due.ts'
import { walletsDue } from './due.ts'
import { workRows } from './rows.ts'
import { walletWork } from './topic.ts'

/** The number of wallets processed concurrently. */
const atOnce = 25

/** The time that a message has before another one is sent. */
const waitMs = 3 * 60_000

/**
 * Sends messages for wallets whose message was lost or whose check was interrupted, and for watched wallets.
 * @returns the number of wallets
 */
export async function tickSplits({
  table,
  queues,
  clock = Date.now,
}: {
  table: Table
  queues: Queues<'splits'>
  clock?: () => number
}): Promise<{ wallets: number }> {
  const now = clock()
  const query = { partitions: walletsDue.partitions, now }
  const wallets = await visitDue(table, query, async (items) => {
    let sent = 0
    for (let from = 0; from < items.length; from += atOnce) {
      const moved = await Promise.all(
        items.slice(from, from + atOnce).map((item) => moveOn(table, item, now)),
      )
      const due = moved.filter((wallet) => wallet !== undefined).map((wallet) => ({ wallet }))
      await queues.sendAll(walletWork, due)
      sent += due.length
    }
    return sent
  })
  return { wallets }
}

/**
 * Postpones a wallet, so that a message in a long queue is not repeated every minute.
 * @returns the wallet, or undefined if a check or another tick has changed it in the meantime
 */
async function moveOn(table: Table, item: Item, now: number): Promise<string | undefined> {
  const { wallet } = workRows.parse(item)
  const isMoved = await tryWrite(
    table.update(workRows.key({ wallet }), {
      set: walletsDue.at(wallet, now + waitMs),
      if: '#gsi1sk = :due',
      values: { due: item.gsi1sk },
    }),
  )
  return isMoved ? wallet : undefined
}
