import type { UserStore } from '../platform/table/user-store.ts'
import { written } from '../platform/table/written.ts'
import { dayAfter, dayOf } from '../usage/days.ts'
import { type MessageCount, messageCounts, newestCounts } from './message-count.ts'
import { messageTotalRows } from './rows.ts'

/** What a user's messages come to. */
export type MessageTotal = Pick<MessageCount, 'asked' | 'replied'>

/** A day gets no message any more once it is over for so long: the reply of a turn is kept within minutes of its time. */
const settledMs = 2 * 86_400_000

/** So few rows are read again each time, rather than added up and kept. */
const worthAdding = 50

/**
 * How many messages a user and one agent have exchanged. Days that are over are added up
 * once, so that it costs the rows of the last days, however many years there are.
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
  const kept = messageTotalRows.parse(item ?? { pk: '', sk })
  const { through: seen, recounts } = kept
  const read = await messageCounts(store, seen === '' ? {} : { from: dayAfter(seen) })
  const through = dayOf(now - settledMs)
  if (read.length >= worthAdding && seen < through) {
    const over = counts(read).filter(({ date }) => date <= through)
    const row = { ...plus(kept, over), through, recounts }
    const condition =
      item === undefined
        ? { if: 'attribute_not_exists(pk)' }
        : { if: '#through = :seen AND #recounts = :recounts', values: { seen, recounts } }
    // Where it was added up or recounted meanwhile, that counts.
    await written(store.put(sk, messageTotalRows.attributes(row), condition))
  }
  return plus(kept, counts(read))
}

/** Forgets what was added up, after days that were over have got other counts; whoever is adding up meanwhile starts again. */
export async function forgetTotals(
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
