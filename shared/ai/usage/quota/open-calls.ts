import { expiryFor, moveSlot } from '#shared/platform/slots/parts.ts'
import { ConditionFailed, type Table } from '#shared/platform/table/port.ts'
import { openCalls, toQuota } from './row.ts'
import type { Hold, Reservation } from './settlement.ts'

/** contract.md 20: the open calls of models of one user, over all of the user's programs and agents. */
export const maxOpenCalls = 100

/** The slots of a killed process are free after two to three minutes. Most calls are shorter, and renew nothing. */
const lease = { holdSeconds: 120, slotSeconds: 60 }

const renewMs = 60_000

/** Returns the epoch second when the slot of a call expires if it is not renewed. */
export function slotExpiry(now: number): number {
  return expiryFor(now, lease)
}

/**
 * Renews the slot of a call once a minute.
 * @returns stops the renewals; `slotUntil` does not change after that
 */
export function renewSlot(table: Pick<Table, 'update'>, reservation: Reservation) {
  const hold = reservation.find(({ slotUntil }) => slotUntil !== undefined)
  if (hold === undefined) return async () => {}
  let renewing: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    // The next renewal tries again. In the worst case the slot is given to another call too early.
    renewing = renewing.then(() => renew(table, hold, Date.now())).catch(() => {})
  }, renewMs)
  timer.unref()
  return async () => {
    clearInterval(timer)
    await renewing
  }
}

async function renew(table: Pick<Table, 'update'>, hold: Hold, now: number): Promise<void> {
  const until = slotExpiry(now)
  if (hold.slotUntil === undefined || until === hold.slotUntil) return
  try {
    const row = await table.update(
      hold.key,
      moveSlot(openCalls, { from: hold.slotUntil, to: until }),
    )
    hold.slotUntil = until
    hold.row = toQuota(row)
  } catch (error) {
    // A slot that was not renewed in time has been swept.
    if (!(error instanceof ConditionFailed)) throw error
    hold.slotUntil = undefined
  }
}
