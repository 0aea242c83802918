import { agentKey, ownerOf } from '../../agents/agent.ts'
import type { Parts } from '../../platform/table/commit.ts'
import type { Table } from '../../platform/table/port.ts'
import type { Received } from '../negotiation.ts'
import { inboxEndRows, inboxRows } from '../rows.ts'

/** contract.md 9: an inbox keeps a message 30 days, and its messageId is known as long. */
export const keptSeconds = 30 * 86_400

/** How many messages an inbox has taken so far; undefined before the first. */
export type InboxEnd = number | undefined

/** Whose inbox it is. */
type Holder = Received['recipient']

export async function readEnd(table: Table, holder: Holder): Promise<InboxEnd> {
  const row = await table.get(endKey(holder))
  return row && inboxEndRows.parse(row).place
}

/** The place of the message that comes next. */
export function placeOf(end: InboxEnd): number {
  return (end ?? 0) + 1
}

/** Ten digits, so that places sort as numbers do. */
export function placeText(place: number): string {
  return String(place).padStart(10, '0')
}

/**
 * Puts a message behind the last one of its recipient's inbox, on condition that this still is the last: places are
 * taken in the order in which messages come to be there, so that none appears behind a reader's back. An agent that is
 * being deleted gets none (`holder`): what came behind its deletion would stay for ever.
 */
export function putIntoInbox(
  { recipient, text, now }: { recipient: Holder; text: string; now: number },
  end: InboxEnd,
) {
  const place = placeOf(end)
  const userId = ownerOf(recipient)
  return {
    holder: {
      check: agentKey({ userId: recipient.userId, agentId: recipient.id }),
      if: 'attribute_exists(pk) AND attribute_not_exists(#deleting)',
    },
    inboxEnd: {
      update: endKey(recipient),
      set: { place },
      ...(end === undefined
        ? { if: 'attribute_not_exists(pk)' }
        : { if: '#place = :end', values: { end } }),
    },
    inbox: {
      put: inboxRows.put(
        { userId, agentId: recipient.id, place: placeText(place) },
        { text, receivedAt: new Date(now).toISOString() },
        { expiresAt: Math.floor(now / 1000) + keptSeconds },
      ),
    },
  } satisfies Parts
}

function endKey({ id: agentId, userId }: Holder) {
  return inboxEndRows.key({ userId: ownerOf({ userId }), agentId })
}
