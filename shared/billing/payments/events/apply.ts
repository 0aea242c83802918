import { entitlementsDue } from '#shared/accounts/entitlements/due.ts'
import { numbered, type Parts, tryCommit } from '#shared/platform/table/commit.ts'
import type { Item, Table } from '#shared/platform/table/port.ts'
import { overtaken, retryOptimistically } from '#shared/platform/table/retry-optimistically.ts'
import { expiry } from '../order.ts'
import { paymentEventRows } from '../rows.ts'

/** The effect of an event: the writes of one transaction, and the users whose paid access may change. */
export interface Decision {
  parts: Parts
  userIds: string[]
  /** Runs once, after the commit, to log and count the event. */
  afterCommit?: () => void
}

/**
 * Applies an event exactly once, no matter how often it is delivered: the transaction also stores the event's id. If
 * another writer changes a row in the meantime, `decide` runs again: each part is conditional on the values that
 * `decide` read.
 * @param decide returns undefined if the event has no effect
 * @returns the users that the event changed, also if an earlier delivery changed them
 */
export async function applyOnce(
  table: Table,
  eventId: string,
  decide: () => Promise<Decision | undefined>,
): Promise<string[]> {
  return retryOptimistically(async () => {
    const decision = await decide()
    if (decision === undefined) return usersOf(await table.get(paymentEventRows.key({ eventId })))
    const { parts, userIds, afterCommit } = decision
    const event = paymentEventRows.put({ eventId }, { userIds }, { expiresAt: expiry() })
    const refusals = await tryCommit(table, {
      ...parts,
      ...numbered(
        'due',
        [...new Set(userIds)].map((userId) => entitlementsDue(userId)),
      ),
      event: { put: event, if: 'attribute_not_exists(pk)' },
    })
    if (refusals === undefined) {
      afterCommit?.()
      return userIds
    }
    return refusals.event === undefined ? overtaken : usersOf(refusals.event.item)
  })
}

/** Returns the users that an event changed, or an empty list if it was not applied. */
function usersOf(row: Item | undefined): string[] {
  return row === undefined ? [] : paymentEventRows.parse(row).userIds
}
