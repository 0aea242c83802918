import { fromFloat } from '#shared/money/amounts/amount.ts'
import { numbered, TransactionRefused, tryCommit } from '#shared/platform/table/commit.ts'
import type { Table, Update, Write } from '#shared/platform/table/port.ts'
import { overtaken, retryOptimistically } from '#shared/platform/table/retry-optimistically.ts'
import { costWrite, type NamedTurn } from '../turns/cost.ts'
import type { NamedCompletion, UsageEvent } from './event.ts'
import {
  type CreditWrites,
  creditWrites,
  type Drawing,
  findCredits,
  toCreditRow,
} from './quota/credits.ts'
import { toMicroUsd } from './quota/micro-usd.ts'
import { type OverQuotaShare, shareOverQuota, costOverQuota } from './quota/over-quota.ts'
import { type QuotaRow, toQuota } from './quota/row.ts'
import { type Reservation, settlement } from './quota/settlement.ts'
import { rowOwnerOf, rollupWrites } from './rollups.ts'
import { usageEventRows } from './rows.ts'

export interface RecordedCall {
  event: NamedCompletion
  reservation: Reservation
  /** The credits that may be drawn; absent if the user has none or does not use them. */
  drawing?: Drawing | undefined
  /**
   * The call used the user's own provider key: it counts toward spend caps, but not toward the plan's tokens, and draws
   * no credits.
   */
  ownKey?: boolean | undefined
  /** The tokens that count toward the plan's quota, if they are not the event's: the call is billed by units. */
  quotaTokens?: number | undefined
  /** The turn of the call, which records the call's cost. */
  turn?: NamedTurn | undefined
}

type RecordParts = { event: Write; turn?: Write | undefined } & Record<
  `hold${number}` | `rollup${number}`,
  Write
> &
  CreditWrites

/**
 * Records a call in one transaction: its event, its rollups, the settlement of its holds, and the draw of the user's
 * credits. A call is recorded once, no matter how often and late it is tried.
 * @returns false if an earlier attempt recorded it
 * @throws the errors of the table
 */
export async function settleCall(
  { table }: { table: Table },
  { event, reservation, turn, quotaTokens, ownKey = false, ...call }: RecordedCall,
  now = Date.now(),
): Promise<boolean> {
  const drawing = ownKey ? undefined : call.drawing
  const tokens = ownKey ? 0 : (quotaTokens ?? event.inputTokens + event.outputTokens)
  const used = { tokens, microUsd: toMicroUsd(fromFloat('USD', event.costUsd ?? 0, 'up')) }
  const { amount = 0, turn: holder } = call.drawing?.hold ?? {}
  const cost = {
    microUsd: event.costUsd === null ? null : used.microUsd,
    heldMicroUsd: holder === undefined ? 0 : amount,
  }
  const put = eventWrite(event)
  const rollups = numbered('rollup', rollupWrites(event, now))
  const rows = reservation.map(({ row }) => row)
  let credits = drawing?.hold?.row
  let named = turn
  return retryOptimistically(async () => {
    const beyond = drawing && shareOverQuota(drawing.limit, usedBefore(drawing, rows[0]), tokens)
    const microUsd = beyond === undefined ? 0 : costOverQuota(beyond, used.microUsd)
    if (drawing !== undefined && (microUsd > 0 || drawing.hold !== undefined))
      credits ??= await findCredits(table, drawing.userId)
    const settled = reservation.map((hold, i): Write => {
      const { key, update } = settlement(hold, used, now, rows[i])
      return { update: key, ...(i === 0 && beyond ? onlyIf(update, beyond) : update) }
    })
    const drawn = drawing && credits ? Math.max(0, Math.min(microUsd, credits.creditMicroUsd)) : 0
    const paidMicroUsd = ownKey ? used.microUsd : drawn
    const parts: RecordParts = {
      event: put,
      ...(named && { turn: costWrite({ ...named, ...cost, paidMicroUsd }) }),
      ...numbered('hold', settled),
      ...rollups,
      ...(drawing && credits && creditWrites(drawing, credits, { microUsd, ref: event.id }, now)),
    }
    const refusals = await tryCommit(table, parts)
    if (refusals === undefined) return true
    // If the event exists, an earlier attempt wrote it and its response was lost.
    if (refusals.event !== undefined) return false
    const refused = reservation.flatMap((_, i) => {
      const refusal = refusals[`hold${i}`]
      return refusal === undefined ? [] : [{ i, item: refusal.item }]
    })
    if (refusals.turn !== undefined) named = undefined
    else if (refused.length === 0 && refusals.credits === undefined)
      throw new TransactionRefused(refusals)
    for (const { i, item } of refused) rows[i] = toQuota(item)
    if (refusals.credits !== undefined)
      credits = refusals.credits.item && toCreditRow(refusals.credits.item)
    return overtaken
  })
}

/** Returns the month's used tokens at the call. A call that credits admitted found the quota used up or held. */
function usedBefore({ limit, hold }: Drawing, month: QuotaRow | undefined): number {
  return month?.tokens.used ?? (hold === undefined ? 0 : limit)
}

function onlyIf(update: Update, { if: condition, values }: OverQuotaShare): Update {
  return {
    ...update,
    if: [update.if, condition].filter((each) => each !== undefined).join(' AND '),
    values: { ...update.values, ...values },
  }
}

/** Returns the write that creates an event once. */
export function eventWrite({
  keyName: _keyName,
  ...event
}: UsageEvent & Pick<NamedCompletion, 'keyName'>): Write {
  const key = { userId: rowOwnerOf(event), eventId: event.id }
  return { put: usageEventRows.put(key, event), if: 'attribute_not_exists(pk)' }
}
