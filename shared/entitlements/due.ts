import { ConditionFailed, type Table, type Update, type Write } from '../platform/table/port.ts'
import { dueIndex, entitlementRows } from './rows.ts'

function mark(userId: string, now: number): Update {
  return { set: { userId, ...dueIndex(userId, new Date(now).toISOString()) }, add: { asked: 1 } }
}

/**
 * That a user's entitlements are to be looked at, as a part of the transaction that changes what they pay for: the
 * schedule finds it where the process dies before it has sent the message.
 */
export function entitlementsDue(userId: string, now = Date.now()): Write {
  return { update: entitlementRows.key({ userId }), ...mark(userId, now) }
}

/** The same for what is no change of what they pay for; of one for whom nothing was noted, nothing is. */
export async function askAgain(table: Table, userId: string, now = Date.now()): Promise<void> {
  const asked = { ...mark(userId, now), if: 'attribute_exists(pk)' }
  await table.update(entitlementRows.key({ userId }), asked).catch((error: unknown) => {
    if (!(error instanceof ConditionFailed)) throw error
  })
}
