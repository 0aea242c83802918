import { agentAlive, agentKey, ownerOf } from '#shared/agents/record/agent.ts'
import type { Parts } from '#shared/platform/table/commit.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { epochSeconds, isoOf } from '#shared/platform/times.ts'
import type { ReceivedMessage } from '../negotiation.ts'
import { inboxEndRows, inboxRows } from '../rows.ts'

/** The retention of a message in an inbox, and of its messageId: 30 days, contract.md 9. */
export const inboxRetentionSeconds = 30 * 86_400

/** The number of messages that an inbox has received; undefined before the first. */
export type InboxEnd = number | undefined

/** The agent that owns the inbox. */
type Holder = ReceivedMessage['recipient']

export async function readEnd(table: Table, holder: Holder): Promise<InboxEnd> {
  const row = await table.get(endKey(holder))
  return row && inboxEndRows.parse(row).place
}

/** Returns the position of the next message. */
export function placeOf(end: InboxEnd): number {
  return (end ?? 0) + 1
}

/** Returns a position as ten digits, so that positions sort numerically. */
export function placeText(place: number): string {
  return String(place).padStart(10, '0')
}

/**
 * Returns the writes that append a message to an inbox, on condition that its end has not changed: positions follow the
 * order of arrival, so that no message appears behind a reader's position. An agent that is being deleted receives
 * nothing (`holder`), because the message would stay forever.
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
      ...agentAlive,
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
        { text, receivedAt: isoOf(now) },
        { expiresAt: epochSeconds(now) + inboxRetentionSeconds },
      ),
    },
  } satisfies Parts
}

function endKey({ id: agentId, userId }: Holder) {
  return inboxEndRows.key({ userId: ownerOf({ userId }), agentId })
}
