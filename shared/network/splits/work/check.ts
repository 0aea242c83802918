import type * as z from 'zod'
import type { Table } from '#shared/platform/table/port.ts'
import { ConditionFailed } from '#shared/platform/table/port.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { walletsDue } from '../due.ts'
import { workRows } from '../rows.ts'
import type { WalletWork } from '../topic.ts'
import { overdueMs } from '../write.ts'

/** One check of a wallet, and until when its payments that left the table are watched. */
export interface WalletCheck {
  wallet: string
  turn: number
  watchUntil: number | undefined
  progress: Progress | undefined
}

/** The payments' progress, and since when (epoch milliseconds) it has not changed. */
type Progress = NonNullable<z.output<ReturnType<typeof workRows.declared.schema>>['progress']>

/**
 * Claims the next turn, so that only one of several messages about a wallet continues. This only saves work: concurrent
 * checks are safe, because every write is conditional.
 * @param seed of the message: a redelivery after its consumer was killed continues
 * @returns undefined if another message has claimed a later turn
 */
export async function claimCheck(
  table: Table,
  { wallet, after }: WalletWork,
  { seed, now }: { seed: string; now: number },
): Promise<WalletCheck | undefined> {
  try {
    const row = await table.update(workRows.key({ wallet }), {
      add: { turn: 1 },
      set: { wallet, by: seed, ...walletsDue.at(wallet, now + overdueMs) },
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

/** The remaining work for a wallet. */
export type RemainingWork =
  /** Another check after this many seconds (0 is immediately), with longer delays if `mark` does not change. */
  | { kind: 'again'; seconds: number; mark: string }
  /** A check with each tick until then: the chain may still reorganise payments that left the table. */
  | { kind: 'watch'; until: number }
  | { kind: 'done' }

/** After a minute, a payment waits for more than blocks, for example for gas. */
const pace = [
  { waitedMs: 600_000, seconds: 60 },
  { waitedMs: 60_000, seconds: 10 },
]

function secondsUntilNext({ seconds }: { seconds: number }, waitedMs: number): number {
  const slower = pace.find((step) => waitedMs >= step.waitedMs)?.seconds ?? 0
  return seconds === 0 ? 0 : Math.max(seconds, slower)
}

/**
 * Ends a turn.
 * @returns the delay of the next check in seconds, or undefined if no work is left or another message has claimed a
 * turn
 */
export async function endCheck(
  table: Table,
  { wallet, turn, progress }: WalletCheck,
  rest: RemainingWork,
  now: number,
): Promise<number | undefined> {
  const mark = rest.kind === 'again' ? rest.mark : ''
  const since = progress?.mark === mark ? progress.since : now
  const seconds = rest.kind === 'again' ? secondsUntilNext(rest, now - since) : 0
  const { gsi1pk, gsi1sk } = walletsDue.at(wallet, now + seconds * 1000 + overdueMs)
  const ending = {
    again: { set: { gsi1pk, gsi1sk, progress: { mark, since } }, remove: ['watchUntil'] },
    watch: {
      set: { gsi1pk, gsi1sk, watchUntil: rest.kind === 'watch' ? rest.until : 0 },
      remove: ['progress'],
    },
    done: { remove: ['gsi1pk', 'gsi1sk', 'watchUntil', 'progress'] },
  }
  const isLast = await tryWrite(
    table.update(workRows.key({ wallet }), {
      ...ending[rest.kind],
      if: '#turn = :turn',
      values: { turn },
    }),
  )
  return isLast && rest.kind === 'again' ? seconds : undefined
}
