import * as z from 'zod'
import { amountField } from '#shared/money/fields/amount.ts'
import { countOf, cursorText, requiredText } from '#shared/platform/fields.ts'

export const bookingStatuses = ['offered', 'accepted', 'declined'] as const

const text = (name: string, most: number) =>
  z
    .string({ error: `payload.${name} must be a string` })
    .max(most, `payload.${name} must have at most ${most} characters`)

/** The payload of a BOOKING_REQUEST or BOOKING_OFFER: contract.md 9, Negotiation. */
export const proposal = z.object({
  eventId: z
    .union([z.int().positive(), text('eventId', 128)], {
      error: 'payload.eventId must be the id of an event',
    })
    .nullish(),
  talentName: text('talentName', 200).nullish(),
  amount: amountField('payload.amount'),
  currency: requiredText('payload.currency', 16),
})

const bookingId = requiredText('payload.bookingId', 128)

/** The payload of a BOOKING_COUNTER. Without a currency, the currency does not change. */
export const counterProposal = z.object({
  bookingId,
  amount: amountField('payload.amount'),
  currency: requiredText('payload.currency', 16).nullish(),
})

export const decision = z.object({ bookingId })

export const bookingParams = z.object({ bookingId: z.string() })

export const booking = z
  .object({
    bookingId: z.string().describe('The id of the message that opened the booking'),
    status: z.enum(bookingStatuses),
    from: z.string().describe('The agent that opened the booking'),
    to: z.string(),
    eventId: z.union([z.number(), z.string()]).nullable(),
    talentName: z.string().nullable(),
    amount: z.string().describe('The amount of the latest offer'),
    currency: z.string(),
    offeredBy: z.string().describe('The agent that made the latest offer'),
    splitId: z
      .number()
      .nullable()
      .describe('The split that pays the booking; null before settlement'),
    history: z.array(
      z.object({
        messageId: z.string(),
        action: z.string(),
        from: z.string(),
        amount: z.string(),
        currency: z.string(),
        at: z.string(),
      }),
    ),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .meta({ id: 'Booking' })

export type Booking = z.output<typeof booking>

/** The default and the maximum number of bookings in a page. */
export const maxBookings = 100

export const bookingQuery = z.object({
  limit: countOf('limit', maxBookings, maxBookings),
  cursor: cursorText(),
})

export const bookingList = z.object({ bookings: z.array(booking) })
