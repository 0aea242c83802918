import type { Queues } from '../platform/queues/port.ts'
import type { Item, Table } from '../platform/table/port.ts'
import { visitDue } from '../platform/table/visit-due.ts'
import { written } from '../platform/table/written.ts'
import { workIndex, workPartitions } from './due.ts'
import { workRows } from './rows.ts'
import { walletWork } from './topic.ts'

/** Wallets that are moved on side by side. */
const atOnce = 25

/** A message that was sent is given this long before another one is. */
const waitMs = 3 * 60_000

/**
 * Has the wallets looked at whose message was lost or whose look was cut short, and those that are only watched.
 * @returns how many
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
  const query = { partitions: workPartitions, now }
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
 * Has a wallet due again only later, so that one whose message waits in a long queue is not sent another each minute.
 * @returns it; undefined where a look or another tick has moved it meanwhile
 */
async function moveOn(table: Table, item: Item, now: number): Promise<string | undefined> {
  const { wallet } = workRows.parse(item)
  const isMoved = await written(
    table.update(workRows.key({ wallet }), {
      set: workIndex(wallet, now + waitMs),
      if: '#gsi1sk = :due',
      values: { due: item.gsi1sk },
    }),
  )
  return isMoved ? wallet : undefined
}
