import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import * as z from 'zod'
import { findAmplification } from '#shared/network/amplifications/amplification.ts'
import { findBooking } from '#shared/network/bookings/booking.ts'
import type { Booking } from '#shared/network/bookings/schema.ts'
import {
  type BookingMove,
  opened,
  openings,
  replied,
  replies,
} from '#shared/network/bookings/transition.ts'
import { type Bus, busCaller, message, sign, type Signer } from '#tests/support/network/bus.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { negotiations } from './negotiations.ts'

/** Sends messages of two agents in every order, twice and in parallel, and compares the result with the rules. */

let database: TestTable
let bus: Bus
let sides: [Signer, Signer]

beforeAll(async () => {
  database = await startTestTable()
  bus = busCaller(database.table, { negotiations })
  const owners = [await bus.subscriber({ plan: 'network' }), await bus.subscriber()]
  sides = [await bus.signer(owners[0] ?? ''), await bus.signer(owners[1] ?? '')]
})
afterAll(() => database.close())

const offer = { amount: '10', currency: 'USDC' }

async function say(by: number, action: string, payload: object) {
  const [from, to] = by === 0 ? sides : [sides[1], sides[0]]
  return sign(from, message(from, to.agent, { action, payload }))
}

type Said = Awaited<ReturnType<typeof say>>

/** The rounds of messages, by position in the list. Messages of one round are sent in parallel. */
const rounds = (messages: number) =>
  fc.array(fc.array(fc.nat(messages - 1), { minLength: 1, maxLength: 4 }), {
    minLength: 2,
    maxLength: 8,
  })

/**
 * Sends the rounds, and then each message once more.
 * @returns the ids of the accepted messages, in rounds
 */
async function sendAll(messages: readonly Said[], order: readonly number[][]) {
  const accepted: string[] = []
  for (const round of [...order, ...messages.map((_, i) => [i]), ...messages.map((_, i) => [i])]) {
    const answers = await Promise.all(
      round.map(async (i) => {
        const { status } = await bus.send(messages[i])
        return [messages[i]?.messageId ?? '', status] as const
      }),
    )
    for (const [id, status] of answers) {
      expect(status).toBeOneOf([200, 404, 409])
      if (status === 200) accepted.push(id)
    }
  }
  expect(new Set(accepted).size).toBe(accepted.length)
  return accepted
}

const countOf = async ({ agent }: Signer) => {
  const { items } = await database.table.query({
    pk: `user#${agent.userId}`,
    beginsWith: 'bus-count#',
  })
  return items.reduce((sum, { count }) => sum + Number(count), 0)
}

const sentSoFar = async () => (await countOf(sides[0])) + (await countOf(sides[1]))

const actions = z.enum([...openings, ...replies])

/** Applies the rules to the accepted messages. */
function replayed(history: Booking['history'], bookingId: string): Booking {
  const idOf = (by: string) => sides.find(({ agent }) => agent.id !== by)?.agent.id ?? ''
  const [first, ...rest] = history.map((entry): BookingMove => ({
    ...entry,
    action: actions.parse(entry.action),
    to: idOf(entry.from),
  }))
  if (first === undefined) throw new Error('a booking without a history')
  expect(first.messageId).toBe(bookingId)
  let booking = opened(first, { ...offer, eventId: null, talentName: null })
  for (const move of rest) {
    const after = replied(booking, move)
    if (typeof after === 'string') throw new Error(`it took what is ${after}`)
    booking = after
  }
  return booking
}

const reply = fc.record({
  by: fc.nat(1),
  action: fc.constantFrom(
    'BOOKING_COUNTER',
    'BOOKING_COUNTER',
    'BOOKING_ACCEPT',
    'BOOKING_DECLINE',
  ),
  amount: fc.integer({ min: 1, max: 999 }).map(String),
})

/** `HISTORIES=500` runs many more. */
const runs = Number(process.env.HISTORIES ?? 8)

it('a booking follows the rules, in any order of its messages', async () => {
  const histories = fc
    .array(reply, { minLength: 2, maxLength: 6 })
    .chain((said) => fc.tuple(fc.constant(said), rounds(said.length + 1)))
  await fc.assert(
    fc.asyncProperty(histories, async ([given, order]) => {
      const before = await sentSoFar()
      const opening = await say(0, 'BOOKING_REQUEST', offer)
      const bookingId = opening.messageId
      const pending = given.map(({ by, action, amount }) =>
        say(by, action, { bookingId, ...(action === 'BOOKING_COUNTER' && { ...offer, amount }) }),
      )
      const messages = [opening, ...(await Promise.all(pending))]
      const accepted = await sendAll(messages, order)
      const booking = await findBooking(database, bookingId)
      const history = booking?.history ?? []
      expect(history.map(({ messageId }) => messageId).toSorted()).toEqual(accepted.toSorted())
      expect(booking).toEqual(replayed(history, bookingId))
      // Rejected messages count against no limit, and at the end no message was rejected that the rules still allow.
      expect(await sentSoFar()).toBe(before + accepted.length)
    }),
    { numRuns: runs },
  )
})

it('an amplification is confirmed once, by its addressee, in any order of the messages', async () => {
  const input = fc
    .array(fc.nat(1), { minLength: 1, maxLength: 4 })
    .chain((confirmers) => fc.tuple(fc.constant(confirmers), rounds(confirmers.length + 1)))
  await fc.assert(
    fc.asyncProperty(input, async ([confirmers, order]) => {
      const before = await sentSoFar()
      const request = await say(0, 'AMPLIFY_REQUEST', { trackId: 't', reward: '1' })
      const { messageId: amplificationId } = request
      const pending = confirmers.map((by) => say(by, 'AMPLIFY_CONFIRM', { amplificationId }))
      const messages = [request, ...(await Promise.all(pending))]
      const accepted = await sendAll(messages, order)
      const confirmed = confirmers.includes(1)
      expect(await findAmplification(database, amplificationId)).toMatchObject({
        status: confirmed ? 'confirmed' : 'requested',
        from: sides[0].agent.id,
      })
      expect(accepted).toHaveLength(confirmed ? 2 : 1)
      expect(await sentSoFar()).toBe(before + accepted.length)
    }),
    { numRuns: runs },
  )
})
