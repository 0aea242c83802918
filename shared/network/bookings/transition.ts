import type * as z from 'zod'
import type { Booking, proposal } from './schema.ts'

/** A step of a negotiation: the message's action, sender, recipient and time (ISO 8601). */
export interface BookingMove {
  messageId: string
  action: BookingAction
  from: string
  to: string
  at: string
  /** The new offer of a counter-offer; absent for an acceptance or a refusal. */
  amount?: string
  currency?: string | undefined
}

export const openings = ['BOOKING_REQUEST', 'BOOKING_OFFER'] as const
export const replies = ['BOOKING_COUNTER', 'BOOKING_ACCEPT', 'BOOKING_DECLINE'] as const
export type BookingAction = (typeof openings)[number] | (typeof replies)[number]

/**
 * The maximum number of steps, because every step is stored. Two agents that have not agreed by then will not agree.
 */
export const maxMoves = 100

/** The reason why a step is forbidden. contract.md 9, Negotiation, lists the status of each. */
export type Illegal = 'stranger' | 'over' | 'not-your-turn' | 'wrong-recipient' | 'too-many'

/** Creates a booking from its opening message. */
export function opened(move: BookingMove, offer: z.output<typeof proposal>): Booking {
  const { messageId, from, to, at } = move
  const { amount, currency, eventId = null, talentName = null } = offer
  return {
    bookingId: messageId,
    status: 'offered',
    from,
    to,
    eventId,
    talentName,
    amount,
    currency,
    offeredBy: from,
    splitId: null,
    history: [historyEntry(move, amount, currency)],
    createdAt: at,
    updatedAt: at,
  }
}

/**
 * Returns the booking after a reply, or the reason why the reply is forbidden. While the offer is open, only the side
 * that did not make it may reply, and only to the other side.
 */
export function replied(booking: Booking, move: BookingMove): Booking | Illegal {
  const parties = [booking.from, booking.to]
  if (!parties.includes(move.from)) return 'stranger'
  if (booking.status !== 'offered') return 'over'
  if (move.from === booking.offeredBy) return 'not-your-turn'
  if (move.to !== booking.offeredBy) return 'wrong-recipient'
  if (booking.history.length >= maxMoves && move.action === 'BOOKING_COUNTER') return 'too-many'
  const { amount = booking.amount, currency = booking.currency } = move
  return {
    ...booking,
    ...(move.action === 'BOOKING_COUNTER'
      ? { amount, currency, offeredBy: move.from }
      : { status: move.action === 'BOOKING_ACCEPT' ? 'accepted' : 'declined' }),
    history: [...booking.history, historyEntry(move, amount, currency)],
    updatedAt: move.at,
  }
}

function historyEntry(
  { messageId, action, from, at }: BookingMove,
  amount: string,
  currency: string,
): Booking['history'][number] {
  return { messageId, action, from, amount, currency, at }
}
