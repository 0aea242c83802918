import { notFound, PlatformError } from '#shared/platform/errors.ts'
import type { Parts } from '#shared/platform/table/commit.ts'
import { absent } from '#shared/platform/table/if-present.ts'
import { isoOf } from '#shared/platform/times.ts'
import { parseInput } from '#shared/platform/validation.ts'
import type { Negotiation, ReceivedMessage } from '../bus/negotiation.ts'
import { findBooking } from './booking.ts'
import { bookingCountRows, bookingPointerRows, bookingRows } from './rows.ts'
import { type Booking, counterProposal, decision, proposal } from './schema.ts'
import { type Illegal, maxMoves, opened, openings, replied, replies } from './transition.ts'

/**
 * Returns the changes of a BOOKING_ message, for the transaction that accepts it. If the booking has changed in the
 * meantime, a part is rejected and the decision is repeated.
 * @throws PlatformError 400 for an unknown action, an invalid payload, or a message to itself; 404 and 409 for a
 * forbidden step
 */
export const negotiateBooking: Negotiation = async ({ table }, received) => {
  const { message, sender, recipient, now } = received
  const { messageId, action, payload } = message
  if (sender.id === recipient.id)
    throw new PlatformError('bad-request', 'An agent cannot negotiate with itself')
  const at = isoOf(now)
  const move = { messageId, from: sender.id, to: recipient.id, at }
  if (isOneOf(openings, action)) {
    const booking = opened({ ...move, action }, parseInput(proposal, payload))
    // A booking is stored for longer than its opening message's id.
    if (await findBooking({ table }, messageId))
      throw new PlatformError('conflict', 'A booking with this messageId already exists')
    return openingParts(booking, ownersOf(received))
  }
  if (!isOneOf(replies, action))
    throw new PlatformError(
      'bad-request',
      `action must be one of ${[...openings, ...replies].join(', ')}`,
    )
  const offer = action === 'BOOKING_COUNTER' ? parseInput(counterProposal, payload) : undefined
  const { bookingId } = offer ?? parseInput(decision, payload)
  const before = await findBooking({ table }, bookingId)
  if (before === undefined) throw notFound('Booking')
  const after = replied(before, {
    ...move,
    action,
    ...(offer && { amount: offer.amount, currency: offer.currency ?? undefined }),
  })
  if (typeof after === 'string') throw refusal(after)
  return replyParts(before, after, ownersOf(received))
}

function isOneOf<const T extends string>(all: readonly T[], text: string): text is T {
  return (all as readonly string[]).includes(text)
}

/** Returns the owners of both agents without duplicates. Agents of the platform have no owner. */
function ownersOf({ sender, recipient }: ReceivedMessage): string[] {
  const owners = [sender.userId, recipient.userId].filter((userId) => userId !== null)
  return [...new Set(owners)]
}

function openingParts(booking: Booking, owners: readonly string[]): Parts {
  const { bookingId, createdAt } = booking
  const parts: Record<string, Parts[string]> = {
    booking: { put: bookingRows.put({ bookingId }, booking), ...absent() },
  }
  for (const [i, userId] of owners.entries()) {
    parts[`bookingOf${i}`] = {
      put: bookingPointerRows.put({ userId, createdAt, bookingId }, { bookingId }),
    }
    parts[`bookingCount${i}`] = { update: bookingCountRows.key({ userId }), add: { offered: 1 } }
  }
  return parts
}

function replyParts(before: Booking, after: Booking, owners: readonly string[]): Parts {
  const { bookingId } = after
  const parts: Record<string, Parts[string]> = {
    booking: {
      put: bookingRows.put({ bookingId }, after),
      if: '#status = :offered AND size(#history) = :moves',
      values: { offered: 'offered', moves: before.history.length },
    },
  }
  if (after.status === before.status) return parts
  for (const [i, userId] of owners.entries())
    parts[`bookingCount${i}`] = {
      update: bookingCountRows.key({ userId }),
      add: { [before.status]: -1, [after.status]: 1 },
    }
  return parts
}

/**
 * Converts a fault to its error: contract.md 9, Negotiation. A third agent gets a 404; every other forbidden step is a
 * conflict.
 */
function refusal(why: Illegal): PlatformError {
  if (why === 'stranger') return notFound('Booking')
  const words: Record<Exclude<Illegal, 'stranger'>, string> = {
    over: 'The booking is already decided',
    'not-your-turn': 'The latest offer was made by the sender; only the other side can answer it',
    'wrong-recipient': 'An answer must be sent to the other party of the booking',
    'too-many': `A booking can have at most ${maxMoves} messages; accept or decline it`,
  }
  return new PlatformError('conflict', words[why])
}
