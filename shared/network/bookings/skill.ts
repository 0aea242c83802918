import * as z from 'zod'
import { splitStatuses } from '../splits/record.ts'
import { booking, bookingList, bookingStatuses } from './schema.ts'

const bookingId = z.string({ error: 'bookingId required' }).min(1, 'bookingId required').max(128)

/** The actions of the skill: contract.md 9, booking-settlement. */
export const settlementRequest = z
  .discriminatedUnion(
    'action',
    [
      z.object({ action: z.literal('list') }),
      z.object({ action: z.literal('status'), bookingId }),
      z.object({ action: z.literal('settle'), bookingId }),
    ],
    { error: 'action must be one of list, status, settle' },
  )
  .meta({ id: 'BookingSettlementAction' })

const settlement = z
  .object({
    success: z.literal(true),
    bookingId: z.string(),
    splitId: z
      .number()
      .nullable()
      .describe('The split that pays the booking; null before settlement'),
    status: z
      .enum([...splitStatuses, ...bookingStatuses])
      .describe('The status of the split, or of the booking before settlement'),
    booking: booking.optional().describe('Only for the action status'),
  })
  .meta({ id: 'BookingSettlement' })

export const settlementAnswer = z.union([bookingList, settlement])

/** The description of a skill. */
export const moneySkill = z
  .object({
    skill: z.string(),
    version: z.string(),
    description: z.string(),
    currency: z.literal('USDC'),
    actions: z.array(z.object({ name: z.string(), description: z.string() })),
  })
  .meta({ id: 'MoneySkill' })

export const bookingSettlement = {
  skill: 'booking-settlement',
  version: '1.0.0',
  description: 'Pays the agreed amount of a booking, from the booker’s wallet to the other agent’s',
  currency: 'USDC' as const,
  actions: [
    { name: 'list', description: 'The newest hundred bookings of your agents, newest first' },
    { name: 'status', description: 'The status of a booking and its payment, by bookingId' },
    {
      name: 'settle',
      description: 'Pay an accepted booking, by bookingId; repeated requests pay once',
    },
  ],
}
