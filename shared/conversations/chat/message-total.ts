import { dayAfter, dayOf } from '#shared/platform/days.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import type { UserStore } from '#shared/platform/table/user-store.ts'
import { type MessageCount, messageCounts, newestCounts } from './message-count.ts'
import { messageTotalRows } from './rows.ts'

/** The total of a user's messages. */
export type MessageTotal = Pick<MessageCount, 'asked' | 'replied'>

/** Days that ended before this time get no more messages: the reply of a turn is stored within minutes. */
const settledMs = 2 * 86_400_000

/** Past days are aggregated once they have at least this many rows. */
const worthAdding = 50

/**
 * Returns how many messages a user and an agent exchanged. Past days are aggregated once, so that only the rows of
 * recent days are read.
 */
export async function messageTotal(
  store: UserStore,
  { agentId }: { agentId: string },
  now = Date.now(),
): Promise<MessageTotal> {
  const counts = (all: readonly MessageCount[]) => all.filter((count) => count.agentId === agentId)
  const newest = await newestCounts(store, worthAdding)
  if (newest !== undefined) return plus({ asked: 0, replied: 0 }, counts(newest))
  const sk = messageTotalRows.sk({ agentId })
  const item = await store.get(sk)
  const stored = messageTotalRows.parse(item ?? { pk: '', sk })
  const { through: seen, recounts } = stored
  const read = await messageCounts(store, seen === '' ? {} : { from: dayAfter(seen) })
  const through = dayOf(now - settledMs)
  if (read.length >= worthAdding && seen < through) {
    const over = counts(read).filter(({ date }) => date <= through)
    const row = { ...plus(stored, over), through, recounts }
    const condition =
      item === undefined
        ? { if: 'attribute_not_exists(pk)' }
        : { if: '#through = :seen AND #recounts = :recounts', values: { seen, recounts } }
    // If another process stored the total first, its total stays.
    await tryWrite(store.put(sk, messageTotalRows.attributes(row), condition))
  }
  return plus(stored, counts(read))
}

/** Resets the aggregate after the counts of past days have changed. A concurrent aggregation starts again. */
export async function deleteTotals(
  store: UserStore,
  { agentId }: { agentId: string },
): Promise<void> {
  await store.update(messageTotalRows.sk({ agentId }), {
    set: { through: '', asked: 0, replied: 0 },
    add: { recounts: 1 },
  })
}

function plus(total: MessageTotal, counts: readonly MessageTotal[]): MessageTotal {
  return counts.reduce(
    (sum, { asked, replied }) => ({ asked: sum.asked + asked, replied: sum.replied + replied }),
    { asked: total.asked, replied: total.replied },
  )
}
