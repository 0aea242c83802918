import { fromFloat } from '../money/amount.ts'
import type { Log } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import { numbered, Refused, tryCommit } from '../platform/table/commit.ts'
import type { Table, Update, Write } from '../platform/table/port.ts'
import type { CompletionEvent, NamedCompletion, UsageEvent } from './event.ts'
import { logLine } from './log-line.ts'
import { type Beyond, beyondQuota, costBeyond } from './quota/beyond.ts'
import {
  type CreditWrites,
  creditWrites,
  type Drawing,
  findCredits,
  toCreditRow,
} from './quota/credits.ts'
import { toMicroUsd } from './quota/micro-usd.ts'
import { type Amounts, type QuotaRow, toQuota } from './quota/row.ts'
import { type Reservation, settlement } from './quota/settlement.ts'
import { rollupWrites } from './rollups.ts'
import { usageEventRows } from './rows.ts'

export interface RecordedCall {
  event: NamedCompletion
  reservation: Reservation
  /** What may be drawn of the user's credits; absent where they have none, or want none drawn. */
  drawing?: Drawing | undefined
  /** Served by a provider's key of the user's own: it counts to spend caps, but not to the plan's tokens, and draws nothing. */
  ownKey?: boolean
}

/**
 * Records a call that was made: its event, its rollups, the settlement of what it held and what it draws of the user's
 * credits, all of them or none, and once however often it is tried. Never throws: an answer does not fail because its
 * record did. What it held then comes back when it expires.
 */
export async function recordUsage(
  { table, log }: { table: Table; log: Log },
  { event, reservation, drawing, ownKey = false }: RecordedCall,
  now = Date.now(),
): Promise<void> {
  try {
    const used = {
      tokens: ownKey ? 0 : event.inputTokens + event.outputTokens,
      microUsd: toMicroUsd(fromFloat('USD', event.costUsd ?? 0, 'up')),
    }
    const call = { event, reservation, drawing: ownKey ? undefined : drawing }
    await write(table, call, { used, now })
    log.info(logLine(event), { model: event.model, provider: event.provider }, metricsOf(event))
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    log.error(`[UsageLogger] Failed to log usage: ${message}`, { error })
  }
}

/** How many calls there were is each figure's count. */
function metricsOf({ inputTokens, outputTokens, costUsd, success }: CompletionEvent): Metrics {
  return {
    by: [['function'], ['provider', 'model']],
    of: {
      AiInputTokens: [inputTokens, 'Count'],
      AiOutputTokens: [outputTokens, 'Count'],
      AiCostUsd: [costUsd ?? undefined, 'None'],
      AiFailures: [success ? 0 : 1, 'Count'],
    },
  }
}

type RecordParts = { event: Write } & Record<`hold${number}` | `rollup${number}`, Write> &
  CreditWrites

async function write(
  table: Table,
  { event, reservation, drawing }: RecordedCall,
  { used, now }: { used: Amounts; now: number },
): Promise<void> {
  const put = eventWrite(event)
  const rollups = numbered('rollup', rollupWrites(event))
  const rows = reservation.map(({ row }) => row)
  let credits = drawing?.hold?.row
  for (;;) {
    const beyond = drawing && beyondQuota(drawing.limit, usedBefore(drawing, rows[0]), used.tokens)
    const microUsd = beyond === undefined ? 0 : costBeyond(beyond, used.microUsd)
    if (drawing !== undefined && microUsd > 0) credits ??= await findCredits(table, drawing.userId)
    const settled = reservation.map((hold, i): Write => {
      const { key, update } = settlement(hold, used, now, rows[i])
      return { update: key, ...(i === 0 && beyond ? onlyIf(update, beyond) : update) }
    })
    const parts: RecordParts = {
      event: put,
      ...numbered('hold', settled),
      ...rollups,
      ...(drawing && credits && creditWrites(drawing, credits, { microUsd, ref: event.id }, now)),
    }
    const refusals = await tryCommit(table, parts)
    // An event that is there was written by an earlier try, whose answer was lost.
    if (refusals === undefined || refusals.event !== undefined) return
    const refused = reservation.flatMap((_, i) => {
      const refusal = refusals[`hold${i}`]
      return refusal === undefined ? [] : [{ i, item: refusal.item }]
    })
    if (refused.length === 0 && refusals.credits === undefined) throw new Refused(refusals)
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
  const key = { userId: event.userId, eventId: event.id }
  return { put: usageEventRows.put(key, event), if: 'attribute_not_exists(pk)' }
}
