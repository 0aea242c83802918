import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Booking } from './schema.ts'
import { type BookingAction, maxMoves, type BookingMove, opened, replied } from './transition.ts'

const agents = ['agt_a', 'agt_b', 'agt_c'] as const
const other = { agt_a: 'agt_b', agt_b: 'agt_a' } as Record<string, string>

const opening: BookingMove = {
  messageId: 'm0',
  action: 'BOOKING_REQUEST',
  from: 'agt_a',
  to: 'agt_b',
  at: '2026-01-01T00:00:00.000Z',
}
const booked = () => opened(opening, { amount: '10', currency: 'USDC' })

const move = fc.record({
  messageId: fc.uuid(),
  action: fc.constantFrom<BookingAction>('BOOKING_COUNTER', 'BOOKING_ACCEPT', 'BOOKING_DECLINE'),
  from: fc.constantFrom(...agents),
  to: fc.constantFrom(...agents),
  at: fc.constant('2026-01-02T00:00:00.000Z'),
  amount: fc.nat(1_000).map(String),
})

/** An independent implementation of the rules of contract.md 9 with minimal state. */
interface Model {
  open: boolean
  turn: string
  amount: string
  moves: number
}

function legal(model: Model, { from, to, action }: BookingMove): boolean {
  const mine = from === model.turn && to === other[from]
  return model.open && mine && (action !== 'BOOKING_COUNTER' || model.moves < maxMoves)
}

describe('a booking', () => {
  it('follows exactly the transitions of the rules, with their messages', () => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 30 }), (moves) => {
        let booking: Booking = booked()
        const model: Model = { open: true, turn: 'agt_b', amount: '10', moves: 1 }
        for (const one of moves) {
          const after = replied(booking, one)
          if (!legal(model, one)) {
            expect(typeof after).toBe('string')
            if (one.from === 'agt_c') expect(after).toBe('stranger')
            continue
          }
          model.moves += 1
          if (one.action === 'BOOKING_COUNTER')
            Object.assign(model, { turn: other[one.from], amount: one.amount })
          else model.open = false
          if (typeof after === 'string') return expect.unreachable(after)
          booking = after
          expect(booking).toMatchObject({ amount: model.amount, offeredBy: other[model.turn] })
          expect(booking.status !== 'offered').toBe(!model.open)
          expect(booking.history).toHaveLength(model.moves)
        }
      }),
      { numRuns: 1_000 },
    )
  })

  it('keeps its currency if a counter-offer omits it', () => {
    const counter: BookingMove = {
      ...opening,
      action: 'BOOKING_COUNTER',
      from: 'agt_b',
      to: 'agt_a',
      amount: '12',
    }
    expect(replied(booked(), counter)).toMatchObject({ amount: '12', currency: 'USDC' })
    const named = replied(booked(), { ...counter, currency: 'EUR' })
    expect(named).toMatchObject({ amount: '12', currency: 'EUR' })
  })

  it('can only be accepted or declined after a hundred moves', () => {
    const history = Array.from({ length: maxMoves }, () => booked().history[0]!)
    const long = { ...booked(), history }
    const reply = { ...opening, from: 'agt_b', to: 'agt_a', amount: '1' }
    expect(replied(long, { ...reply, action: 'BOOKING_COUNTER' })).toBe('too-many')
    expect(replied(long, { ...reply, action: 'BOOKING_ACCEPT' })).toMatchObject({
      status: 'accepted',
    })
  })
})
