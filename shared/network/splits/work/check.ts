import type * as z from 'zod'
import type { Queues } from '#shared/platform/queues/port.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { counter } from '#shared/platform/work/fence.ts'
import { workItems } from '#shared/platform/work/items.ts'
import { unlessLeaseLost } from '#shared/platform/work/lease-lost.ts'
import { walletsDue } from '../due.ts'
import { workRows } from '../rows.ts'
import { type WalletWork, walletWork } from '../topic.ts'
import { overdueMs } from '../write.ts'

/** One check of a wallet. */
export type WalletCheck = z.output<ReturnType<typeof workRows.declared.schema>>

/** The fields that a claim needs, so that the tick reads only these. */
type Turn = Pick<WalletCheck, 'wallet' | 'turn'>

/**
 * The checks of wallets. The fencing token only avoids repeated work: concurrent checks are safe, because every write
 * of a split or payment requires that its row has not changed.
 */
export const walletChecks = workItems({
  rows: workRows,
  key: ({ wallet }: Turn) => workRows.key({ wallet }),
  id: ({ wallet }) => wallet,
  due: walletsDue,
  fence: counter('turn', ({ turn }: Turn) => turn),
  topic: walletWork,
  message: ({ wallet, turn }): WalletWork => ({ wallet, after: turn }),
  leaseMs: overdueMs,
  lostMs: overdueMs,
  // Long, so that a message in a long queue is not repeated every minute.
  resendMs: 180_000,
})

/**
 * Claims the next check of a wallet. A message without `after` announces a split, and can claim any check.
 * @returns undefined if the message is outdated, another message was first or the wallet has no work
 */
export async function claimCheck(
  table: Table,
  message: WalletWork,
  now: number,
): Promise<WalletCheck | undefined> {
  const row = await workRows.find(table, message)
  const named = message.after === undefined ? {} : { message }
  return row && walletChecks.claim({ table }, row, { ...named, now })
}

/** The remaining work for a wallet. */
export type RemainingWork =
  /** Another check after this many seconds (0 is immediately), with longer delays if `mark` does not change. */
  | { kind: 'again'; seconds: number; mark: string }
  /** A check with each tick until this time, because the chain may still reorganise finished payments. */
  | { kind: 'watch'; until: number }
  | { kind: 'done' }

/**
 * The delays between checks grow, because a payment that takes more than a minute waits for something other than a
 * block, such as gas.
 */
const pace = [
  { waitedMs: 600_000, seconds: 60 },
  { waitedMs: 60_000, seconds: 10 },
]

function secondsUntilNext({ seconds }: { seconds: number }, waitedMs: number): number {
  const slower = pace.find((step) => waitedMs >= step.waitedMs)?.seconds ?? 0
  return seconds === 0 ? 0 : Math.max(seconds, slower)
}

/** Ends a check, unless another message has claimed the next one. */
export async function endCheck(
  ctx: { table: Table; queues: Queues<'splits'> },
  check: WalletCheck,
  rest: RemainingWork,
  now: number,
): Promise<void> {
  await unlessLeaseLost(stop(ctx, check, rest, now))
}

function stop(
  ctx: { table: Table; queues: Queues<'splits'> },
  check: WalletCheck,
  rest: RemainingWork,
  now: number,
): Promise<unknown> {
  const { wallet, progress } = check
  if (rest.kind === 'done')
    return walletChecks.finish(ctx, check, { remove: ['watchUntil', 'progress'] })
  if (rest.kind === 'watch')
    return walletChecks.save(ctx, check, {
      set: { ...walletsDue.at(wallet, now + overdueMs), watchUntil: rest.until },
      remove: ['progress'],
    })
  const { mark } = rest
  const since = progress?.mark === mark ? progress.since : now
  const change = { set: { progress: { mark, since } }, remove: ['watchUntil'], now }
  return walletChecks.later(ctx, check, secondsUntilNext(rest, now - since), change)
}
