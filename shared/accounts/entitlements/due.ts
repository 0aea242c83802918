import {
  ConditionFailed,
  type Table,
  type Update,
  type Write,
} from '#shared/platform/table/port.ts'
import { entitlementRows, usersDue } from './rows.ts'

function mark(userId: string, now: number): Update {
  return {
    set: { userId, ...usersDue.at(userId, now) },
    add: { asked: 1 },
  }
}

/**
 * Returns the write that marks a user's entitlements as due, for the transaction that changes the user's payments. If
 * the process dies before it sends the message, the schedule finds the mark.
 */
export function entitlementsDue(userId: string, now = Date.now()): Write {
  return { update: entitlementRows.key({ userId }), ...mark(userId, now) }
}

/**
 * Marks a user's entitlements as due without a change of payment. Does nothing for a user without an entitlement row.
 */
export async function markDue(table: Table, userId: string, now = Date.now()): Promise<void> {
  const update = { ...mark(userId, now), if: 'attribute_exists(pk)' }
  await table.update(entitlementRows.key({ userId }), update).catch((error: unknown) => {
    if (!(error instanceof ConditionFailed)) throw error
  })
}
