import { PlatformError } from '../../platform/errors.ts'
import { ConditionFailed, type Item, type Table } from '../../platform/table/port.ts'
import { withoutConflicts } from '../../platform/table/conflict.ts'
import { monthOf, nextMonth } from '../month.ts'
import { quotaKey, type QuotaRow, slotFor, toQuota } from './row.ts'
import { type Reservation, sweep } from './settlement.ts'

export interface QuotaRequest {
  userId: string
  plan: string
  /** Tokens a month; null where there is no limit. */
  limit: number | null
  /** The most that the call may use. */
  tokens: number
}

/**
 * Holds a call's tokens before it is made, in one conditional write: a call may begin while less than the quota is
 * used or held. So however many begin at once, they pass the quota by no more than one of them uses.
 * @throws PlatformError 429 QUOTA_EXCEEDED
 */
export async function reserve(
  table: Table,
  { userId, plan, limit, tokens }: QuotaRequest,
  now = Date.now(),
): Promise<Reservation> {
  const key = quotaKey(userId, monthOf(now))
  const slot = slotFor(now)
  if (limit === null) return { key, tokens: 0, slot, row: toQuota(undefined) }

  const hold = async (): Promise<Item | QuotaRow> => {
    try {
      return await withoutConflicts(() =>
        table.update(key, {
          add: { committed: tokens, [slot]: tokens },
          if: 'attribute_not_exists(#committed) OR #committed < :limit',
          values: { limit },
        }),
      )
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error
      return toQuota(error.item)
    }
  }

  for (;;) {
    const found = await hold()
    if ('pk' in found) return { key, tokens, slot, row: toQuota(found) }
    const freed = sweep(found, now)
    if (freed === undefined) throw exceeded({ plan, limit, row: found, now })
    await table.update(key, freed).catch((error: unknown) => {
      // Somebody else swept it, or gave some of it back: what matters is the next look at the row.
      if (!(error instanceof ConditionFailed)) throw error
    })
  }
}

function exceeded(state: { plan: string; limit: number; row: QuotaRow; now: number }) {
  const { plan, limit, row, now } = state
  const resetsAt = nextMonth(now)
  const held = row.committed - row.used
  return new PlatformError(
    'too-many-requests',
    `Monthly token quota of the ${plan} plan reached: ${row.used} of ${limit} tokens used` +
      `${held > 0 ? `, ${held} held by calls under way` : ''}. ` +
      `The quota resets at ${resetsAt.toISOString()}.`,
    {
      code: 'QUOTA_EXCEEDED',
      details: { plan, used: row.used, limit, resetsAt: resetsAt.toISOString() },
      headers: { 'Retry-After': String(Math.ceil((resetsAt.getTime() - now) / 1000)) },
    },
  )
}
