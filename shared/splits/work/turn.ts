import type * as z from 'zod'
import type { Table } from '../../platform/table/port.ts'
import { ConditionFailed } from '../../platform/table/port.ts'
import { written } from '../../platform/table/written.ts'
import { workIndex } from '../due.ts'
import { workRows } from '../rows.ts'
import type { WalletWork } from '../topic.ts'
import { overdueMs } from '../write.ts'

/** One look at a wallet, and until when those that have left the table are watched. */
export interface Turn {
  wallet: string
  turn: number
  watchUntil: number | undefined
  progress: Progress | undefined
}

/** How far a wallet's payments are, and since when (epoch milliseconds). */
type Progress = NonNullable<z.output<ReturnType<typeof workRows.declared.schema>>['progress']>

/**
 * Takes the next turn, so that of several messages about a wallet one goes on. Nothing but work hangs on it: every
 * write of two that look at once is conditional.
 * @param seed the message's: one that comes again after its consumer was killed goes on
 * @returns undefined for a message that another has overtaken
 */
export async function takeTurn(
  table: Table,
  { wallet, after }: WalletWork,
  { seed, now }: { seed: string; now: number },
): Promise<Turn | undefined> {
  try {
    const row = await table.update(workRows.key({ wallet }), {
      add: { turn: 1 },
      set: { wallet, by: seed, ...workIndex(wallet, now + overdueMs) },
      ...(after !== undefined && {
        if: '#turn = :after OR (#turn = :next AND #by = :seed)',
        values: { after, next: after + 1, seed },
      }),
    })
    const { turn, watchUntil, progress } = workRows.parse(row)
    return { wallet, turn, watchUntil, progress }
  } catch (error) {
    if (error instanceof ConditionFailed) return undefined
    throw error
  }
}

/** What is left to do for a wallet. */
export type Rest =
  /** Another look after so many seconds, and later the longer the payments have been where they are; 0 is at once. */
  | { kind: 'again'; seconds: number; mark: string }
  /** A look with each tick until then: what has left the table may still be taken back by the chain. */
  | { kind: 'watch'; until: number }
  | { kind: 'done' }

/** What has waited for a minute waits for more than blocks, such as ETH for gas. */
const pace = [
  { waitedMs: 600_000, seconds: 60 },
  { waitedMs: 60_000, seconds: 10 },
]

function secondsUntilNext({ seconds }: { seconds: number }, waitedMs: number): number {
  const slower = pace.find((step) => waitedMs >= step.waitedMs)?.seconds ?? 0
  return seconds === 0 ? 0 : Math.max(seconds, slower)
}

/** @returns after how many seconds to look again; undefined where nothing is left, or another message has taken a turn */
export async function endTurn(
  table: Table,
  { wallet, turn, progress }: Turn,
  rest: Rest,
  now: number,
): Promise<number | undefined> {
  const mark = rest.kind === 'again' ? rest.mark : ''
  const since = progress?.mark === mark ? progress.since : now
  const seconds = rest.kind === 'again' ? secondsUntilNext(rest, now - since) : 0
  const { gsi1pk, gsi1sk } = workIndex(wallet, now + seconds * 1000 + overdueMs)
  const ending = {
    again: { set: { gsi1pk, gsi1sk, progress: { mark, since } }, remove: ['watchUntil'] },
    watch: {
      set: { gsi1pk, gsi1sk, watchUntil: rest.kind === 'watch' ? rest.until : 0 },
      remove: ['progress'],
    },
    done: { remove: ['gsi1pk', 'gsi1sk', 'watchUntil', 'progress'] },
  }
  const isLast = await written(
    table.update(workRows.key({ wallet }), {
      ...ending[rest.kind],
      if: '#turn = :turn',
      values: { turn },
    }),
  )
  return isLast && rest.kind === 'again' ? seconds : undefined
}
