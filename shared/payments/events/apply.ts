import { entitlementsDue } from '../../entitlements/due.ts'
import { PlatformError } from '../../platform/errors.ts'
import { numbered, type Parts, tryCommit } from '../../platform/table/commit.ts'
import type { Item, Table } from '../../platform/table/port.ts'
import { expiry } from '../order.ts'
import { eventRows } from '../rows.ts'

/** What an event does: the writes of one transaction, and the users whose paid access they may change. */
export interface Decision {
  parts: Parts
  userIds: string[]
  /** Writes to the log what is to be counted once, after the commit. */
  tell?: () => void
}

/** Each failed round is another writer's success, so rows that are fought over this long are too busy. */
const mostRounds = 100

/**
 * Applies an event once, however often it comes: that it was applied is part of its transaction. It is decided again on
 * what another writer has changed meanwhile; each part's condition is what the decision read.
 * @param decide undefined for an event that does nothing
 * @returns the users whom it moved, also where an earlier delivery did
 */
export async function applyOnce(
  table: Table,
  eventId: string,
  decide: () => Promise<Decision | undefined>,
): Promise<string[]> {
  for (let round = 0; round < mostRounds; round++) {
    const decision = await decide()
    if (decision === undefined) return movedBy(await table.get(eventRows.key({ eventId })))
    const { parts, userIds, tell } = decision
    const event = eventRows.put({ eventId }, { userIds }, { expiresAt: expiry() })
    const refusals = await tryCommit(table, {
      ...parts,
      ...numbered(
        'due',
        [...new Set(userIds)].map((userId) => entitlementsDue(userId)),
      ),
      event: { put: event, if: 'attribute_not_exists(pk)' },
    })
    if (refusals === undefined) {
      tell?.()
      return userIds
    }
    if (refusals.event !== undefined) return movedBy(refusals.event.item)
  }
  throw new PlatformError('unavailable', 'Too much is written here at once', {
    headers: { 'Retry-After': '1' },
  })
}

/** Whom an event moved when it was applied; no user where it never was. */
function movedBy(row: Item | undefined): string[] {
  return row === undefined ? [] : eventRows.parse(row).userIds
}
