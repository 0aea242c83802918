import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findUser, toIdentity } from '#shared/accounts/users/user.ts'
import { countBookings } from '#shared/network/bookings/count.ts'
import { listBookings } from '#shared/network/bookings/list.ts'
import { messageRows } from '#shared/network/bus/rows.ts'
import { type Bus, busCaller, message, sign, type Signer } from '#tests/support/network/bus.ts'
import { startUnderground, type Underground } from '#tests/support/network/underground.ts'
import { contextOf } from '#tests/support/platform/context.ts'
import { negotiations } from './negotiations.ts'

let underground: Underground
let bus: Bus

beforeAll(async () => {
  underground = await startUnderground()
  bus = busCaller(underground.table, { negotiations })
})
afterAll(() => underground.close())

const offer = { amount: '250.5', currency: 'USDC', eventId: 7, talentName: 'DJ Ada' }

/** Two agents of two users. */
async function parties() {
  const [one, other] = [await bus.subscriber(), await bus.subscriber()]
  return { one: await bus.signer(one), other: await bus.signer(other), owners: [one, other] }
}

async function say(from: Signer, to: Signer, action: string, payload: object) {
  const said = await sign(from, message(from, to.agent, { action, payload }))
  const { status, body } = await bus.send(said)
  return { status, error: body.error, messageId: said.messageId }
}

async function opened(action = 'BOOKING_REQUEST') {
  const sides = await parties()
  const { status, messageId } = await say(sides.one, sides.other, action, offer)
  expect(status).toBe(200)
  return { ...sides, bookingId: messageId }
}

const booking = (bookingId: string, userId?: string) =>
  underground.call('GET', `/api/underground/bookings/${encodeURIComponent(bookingId)}`, {
    ...(userId !== undefined && { userId }),
  })

async function seenBy(userId: string) {
  const user = await findUser(underground.table, userId)
  if (user === undefined) throw new Error(`no user ${userId}`)
  const ctx = contextOf(underground.table, toIdentity(user, []))
  const { items } = await listBookings(ctx, { limit: 100 })
  return items.map(({ bookingId }) => bookingId)
}

/** Simulates that the bus has forgotten the message after thirty days. */
const forget = (messageId: string) => underground.table.delete(messageRows.key({ messageId }))

const counts = (userId: string) => countBookings(underground, { userId })

describe('a booking', () => {
  it.each(['BOOKING_REQUEST', 'BOOKING_OFFER'])('is created by a %s', async (action) => {
    const { one, other, owners, bookingId } = await opened(action)
    const [status, shown] = await booking(bookingId)
    const at = expect.any(String) as string
    expect([status, shown]).toEqual([
      200,
      {
        bookingId,
        status: 'offered',
        from: one.agent.id,
        to: other.agent.id,
        ...offer,
        offeredBy: one.agent.id,
        splitId: null,
        history: [
          {
            messageId: bookingId,
            action,
            from: one.agent.id,
            amount: '250.5',
            currency: 'USDC',
            at,
          },
        ],
        createdAt: at,
        updatedAt: at,
      },
    ])
    for (const userId of owners) {
      expect(await seenBy(userId)).toEqual([bookingId])
      expect(await counts(userId)).toEqual({ offered: 1, accepted: 0, declined: 0 })
    }
  })

  it('alternates between both sides until one accepts', async () => {
    const { one, other, owners, bookingId } = await opened()
    const counter = { bookingId, amount: '300' }
    expect((await say(other, one, 'BOOKING_COUNTER', counter)).status).toBe(200)
    expect((await booking(bookingId))[1]).toMatchObject({
      amount: '300',
      currency: 'USDC',
      offeredBy: other.agent.id,
    })
    expect((await say(one, other, 'BOOKING_ACCEPT', { bookingId })).status).toBe(200)
    const [, shown] = await booking(bookingId)
    expect(shown).toMatchObject({ status: 'accepted', amount: '300' })
    const actions = ['BOOKING_REQUEST', 'BOOKING_COUNTER', 'BOOKING_ACCEPT']
    expect(shown.history).toEqual(actions.map((action) => expect.objectContaining({ action })))
    expect(await counts(owners[0]!)).toEqual({ offered: 0, accepted: 1, declined: 0 })
    for (const action of ['BOOKING_COUNTER', 'BOOKING_ACCEPT', 'BOOKING_DECLINE'])
      expect((await say(other, one, action, counter)).status).toBe(409)
  })

  it('is answered only by the other side, and sent to that side', async () => {
    const { one, other, bookingId } = await opened()
    const third = await bus.signer(await bus.subscriber())
    const answer = { bookingId, amount: '1' }
    expect((await say(one, other, 'BOOKING_ACCEPT', answer)).status).toBe(409)
    expect((await say(one, other, 'BOOKING_COUNTER', answer)).status).toBe(409)
    expect((await say(other, third, 'BOOKING_ACCEPT', answer)).status).toBe(409)
    expect((await say(third, one, 'BOOKING_ACCEPT', answer)).status).toBe(404)
    expect((await say(other, one, 'BOOKING_ACCEPT', { bookingId: 'unknown' })).status).toBe(404)
    expect((await booking(bookingId))[1]).toMatchObject({ status: 'offered', amount: '250.5' })
  })

  it('takes one of two concurrent answers', async () => {
    const { one, other, bookingId, owners } = await opened()
    const answers = await Promise.all(
      ['BOOKING_ACCEPT', 'BOOKING_DECLINE', 'BOOKING_ACCEPT', 'BOOKING_DECLINE'].map((action) =>
        say(other, one, action, { bookingId }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
    const { offered, accepted, declined } = await counts(owners[1]!)
    expect([offered, accepted + declined]).toEqual([0, 1])
  })

  it.each([
    ['amount', { ...offer, amount: 5 }],
    ['amount', { ...offer, amount: '-5' }],
    ['amount', { ...offer, amount: '1e3' }],
    ['amount', { ...offer, amount: '0.0000001' }],
    ['currency', { ...offer, currency: '' }],
    ['talentName', { ...offer, talentName: 5 }],
    ['eventId', { ...offer, eventId: -1 }],
  ])('is not created with a bad %s', async (field, payload) => {
    const { one, other } = await parties()
    const message = await say(one, other, 'BOOKING_REQUEST', payload)
    expect([message.status, message.error]).toEqual([400, expect.stringContaining(field)])
    expect((await booking(message.messageId))[0]).toBe(404)
  })

  it('rejects other actions, and an agent that books itself', async () => {
    const { one, other } = await parties()
    expect((await say(one, other, 'BOOKING_CANCEL', offer)).status).toBe(400)
    expect((await say(one, one, 'BOOKING_REQUEST', offer)).status).toBe(400)
    expect(
      (await say(one, one, 'AMPLIFY_REQUEST', { url: 'https://b.co/x', reward: '1' })).status,
    ).toBe(400)
  })

  it('is returned to callers for one of the parties’ users, and to the platform', async () => {
    const { owners, bookingId } = await opened()
    for (const userId of owners) expect((await booking(bookingId, userId))[0]).toBe(200)
    expect((await booking(bookingId, underground.newUserId()))[0]).toBe(404)
    expect((await booking('x'.repeat(3_000)))[0]).toBe(404)
  })

  it('keeps its id after its messageId has expired', async () => {
    const { one, other, bookingId } = await opened()
    await forget(bookingId)
    const again = message(one, other.agent, {
      messageId: bookingId,
      action: 'BOOKING_REQUEST',
      payload: { ...offer, amount: '1' },
    })
    expect((await bus.send(await sign(one, again))).status).toBe(409)
    expect((await booking(bookingId))[1]).toMatchObject({ amount: '250.5' })
  })

  it('has an id that is a valid messageId', async () => {
    const { one, other } = await parties()
    const messageId = `a/b #?%${Math.random()}`
    const payload = offer
    const body = message(one, other.agent, { messageId, action: 'BOOKING_REQUEST', payload })
    expect((await bus.send(await sign(one, body))).status).toBe(200)
    expect((await booking(messageId))[1]).toMatchObject({ bookingId: messageId })
  })
})

describe('an amplification', () => {
  const request = { trackId: 'trk_1', reward: '5' }
  const shown = (id: string, userId?: string) =>
    underground.call('GET', `/api/underground/amplifications/${id}`, {
      ...(userId !== undefined && { userId }),
    })

  it.each(['javascript:alert(1)', 'data:text/html,x', 'ftp://b.co/x', '//b.co/x', 'a track'])(
    'is not requested at %s',
    async (url) => {
      const { one, other } = await parties()
      const { status, error } = await say(one, other, 'AMPLIFY_REQUEST', { url, reward: '1' })
      expect([status, error]).toEqual([400, expect.stringContaining('payload.url')])
    },
  )

  it.each(['AMPLIFY_REQUEST', 'AMPLIFY_TRACK'])('is requested by an %s', async (action) => {
    const { one, other, owners } = await parties()
    const { status, messageId: id } = await say(one, other, action, request)
    expect(status).toBe(200)
    const at = expect.any(String) as string
    const call = { id, from: one.agent.id, to: other.agent.id, ...request, url: null }
    expect(await shown(id)).toEqual([
      200,
      { ...call, status: 'requested', createdAt: at, updatedAt: at },
    ])
    expect((await shown(id, owners[1]))[0]).toBe(200)
    expect((await shown(id, underground.newUserId()))[0]).toBe(404)
  })

  it('is confirmed by its addressee, once', async () => {
    const { one, other } = await parties()
    const third = await bus.signer(await bus.subscriber())
    const { messageId: id } = await say(one, other, 'AMPLIFY_TRACK', {
      url: 'https://b.co/x',
      reward: '1',
    })
    const confirm = async (from: Signer, to: Signer, amplificationId = id) =>
      (await say(from, to, 'AMPLIFY_CONFIRM', { amplificationId })).status
    expect(await confirm(one, other)).toBe(409)
    expect(await confirm(third, one)).toBe(404)
    expect(await confirm(other, third)).toBe(409)
    expect(await confirm(other, one, 'unknown')).toBe(404)
    const twice = await Promise.all([confirm(other, one), confirm(other, one)])
    expect(twice.sort()).toEqual([200, 409])
    expect((await shown(id))[1]).toMatchObject({ status: 'confirmed' })
  })

  it('keeps its own id after its messageId has expired', async () => {
    const { one, other } = await parties()
    const { messageId } = await say(one, other, 'AMPLIFY_REQUEST', request)
    await forget(messageId)
    const payload = { ...request, reward: '9' }
    const again = message(one, other.agent, { messageId, action: 'AMPLIFY_REQUEST', payload })
    expect((await bus.send(await sign(one, again))).status).toBe(409)
    expect((await shown(messageId))[1]).toMatchObject({ reward: '5' })
  })

  it.each([
    ['trackId', { reward: '1' }],
    ['reward', { trackId: 'x' }],
    ['reward', { trackId: 'x', reward: 1 }],
    ['url', { url: 5, reward: '1' }],
  ])('requires a valid %s', async (field, payload) => {
    const { one, other } = await parties()
    const message = await say(one, other, 'AMPLIFY_REQUEST', payload)
    expect([message.status, message.error]).toEqual([400, expect.stringContaining(field)])
  })

  it('rejects other actions', async () => {
    const { one, other } = await parties()
    expect((await say(one, other, 'AMPLIFY_STOP', request)).status).toBe(400)
  })
})
