import { fromFloat } from '../money/amount.ts'
import { numbered, Refused, tryCommit } from '../platform/table/commit.ts'
import type { Table, Update, Write } from '../platform/table/port.ts'
import { costWrite, type TurnNamed } from '../turns/cost.ts'
import type { NamedCompletion, UsageEvent } from './event.ts'
import { type Beyond, beyondQuota, costBeyond } from './quota/beyond.ts'
import {
  type CreditWrites,
  creditWrites,
  type Drawing,
  findCredits,
  toCreditRow,
} from './quota/credits.ts'
import { toMicroUsd } from './quota/micro-usd.ts'
import { type QuotaRow, toQuota } from './quota/row.ts'
import { type Reservation, settlement } from './quota/settlement.ts'
import { keeperOf, rollupWrites } from './rollups.ts'
import { usageEventRows } from './rows.ts'

export interface RecordedCall {
  event: NamedCompletion
  reservation: Reservation
  /** What may be drawn of the user's credits; absent where they have none, or want none drawn. */
  drawing?: Drawing | undefined
  /** Served by a provider's key of the user's own: it counts to spend caps, but not to the plan's tokens, and draws nothing. */
  ownKey?: boolean | undefined
  /** The turn that the call belongs to, which keeps what it cost. */
  turn?: TurnNamed | undefined
}

type RecordParts = { event: Write; turn?: Write | undefined } & Record<
  `hold${number}` | `rollup${number}`,
  Write
> &
  CreditWrites

/**
 * Records a call that was made: its event, its rollups, the settlement of what it held and what it draws of the user's
 * credits, all of them or none, and once however often it is tried and however late.
 * @returns false where an earlier try wrote it
 * @throws what the table throws
 */
export async function settleCall(
  { table }: { table: Table },
  { event, reservation, turn, ownKey = false, ...call }: RecordedCall,
  now = Date.now(),
): Promise<boolean> {
  const drawing = ownKey ? undefined : call.drawing
  const tokens = ownKey ? 0 : event.inputTokens + event.outputTokens
  const used = { tokens, microUsd: toMicroUsd(fromFloat('USD', event.costUsd ?? 0, 'up')) }
  const put = eventWrite(event)
  const rollups = numbered('rollup', rollupWrites(event, now))
  const rows = reservation.map(({ row }) => row)
  let credits = drawing?.hold?.row
  let ofTurn =
    turn && costWrite({ ...turn, microUsd: event.costUsd === null ? null : used.microUsd })
  for (;;) {
    const beyond = drawing && beyondQuota(drawing.limit, usedBefore(drawing, rows[0]), tokens)
    const microUsd = beyond === undefined ? 0 : costBeyond(beyond, used.microUsd)
    if (drawing !== undefined && (microUsd > 0 || drawing.hold !== undefined))
      credits ??= await findCredits(table, drawing.userId)
    const settled = reservation.map((hold, i): Write => {
      const { key, update } = settlement(hold, used, now, rows[i])
      return { update: key, ...(i === 0 && beyond ? onlyIf(update, beyond) : update) }
    })
    const parts: RecordParts = {
      event: put,
      ...(ofTurn && { turn: ofTurn }),
      ...numbered('hold', settled),
      ...rollups,
      ...(drawing && credits && creditWrites(drawing, credits, { microUsd, ref: event.id }, now)),
    }
    const refusals = await tryCommit(table, parts)
    if (refusals === undefined) return true
    // An event that is there was written by an earlier try, whose answer was lost.
    if (refusals.event !== undefined) return false
    const refused = reservation.flatMap((_, i) => {
      const refusal = refusals[`hold${i}`]
      return refusal === undefined ? [] : [{ i, item: refusal.item }]
    })
    if (refusals.turn !== undefined) ofTurn = undefined
    else if (refused.length === 0 && refusals.credits === undefined) throw new Refused(refusals)
    for (const { i, item } of refused) rows[i] = toQuota(item)
    if (refusals.credits !== undefined)
      credits = refusals.credits.item && toCreditRow(refusals.credits.item)
  }
}

/** What the month had used as the call saw it; one that credits let in has seen its quota used up or held. */
function usedBefore({ limit, hold }: Drawing, month: QuotaRow | undefined): number {
  return month?.tokens.used ?? (hold === undefined ? 0 : limit)
}

function onlyIf(update: Update, { if: condition, values }: Beyond): Update {
  return {
    ...update,
    if: [update.if, condition].filter((each) => each !== undefined).join(' AND '),
    values: { ...update.values, ...values },
  }
}

/** Writes an event once. */
export function eventWrite({
  keyName: _keyName,
  ...event
}: UsageEvent & Pick<NamedCompletion, 'keyName'>): Write {
  const key = { userId: keeperOf(event), eventId: event.id }
  return { put: usageEventRows.put(key, event), if: 'attribute_not_exists(pk)' }
}
