import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEvent } from '#shared/network/events/create.ts'
import { newEvent as form } from '#shared/network/events/schema.ts'
import { startUnderground, type Underground } from '#tests/support/network/underground.ts'
import { trusted } from '#tests/support/platform/context.ts'

let underground: Underground

beforeAll(async () => {
  underground = await startUnderground()
})
afterAll(() => underground.close())

const path = '/api/underground/events'

const concert = (agentId: string, more: object = {}) => ({
  agentId,
  name: 'Basement',
  description: 'Bring a torch',
  venue: 'Berlin',
  eventDate: '2030-01-01T20:00:00Z',
  ticketPriceUsdc: '12.5',
  totalTickets: 10,
  ...more,
})

async function newEvent(more: object = {}) {
  const { id } = await underground.agentOf(underground.newUserId())
  const [status, event] = await underground.call<{ id: number }>('POST', path, {
    body: concert(id, more),
  })
  expect(status).toBe(201)
  return event
}

describe('POST /api/underground/events', () => {
  it('creates an event, numbered from 1 on', async () => {
    const fresh = await startUnderground()
    try {
      const { id: agentId } = await fresh.agentOf(null)
      const made = () => fresh.call('POST', path, { body: concert(agentId) })
      const [status, event] = await made()
      expect([status, event]).toEqual([
        201,
        {
          id: 1,
          agent_id: agentId,
          name: 'Basement',
          description: 'Bring a torch',
          venue: 'Berlin',
          event_date: '2030-01-01T20:00:00Z',
          ticket_price_usdc: '12.5',
          total_tickets: 10,
        },
      ])
      expect((await made())[1]).toMatchObject({ id: 2 })
    } finally {
      await fresh.close()
    }
  })

  it('creates one event under one Idempotency-Key', async () => {
    const { id } = await underground.agentOf(null)
    const ask = { body: concert(id), headers: { 'idempotency-key': 'one-event' } }
    const [, first] = await underground.call('POST', path, ask)
    expect(await underground.call('POST', path, ask)).toEqual([201, first])
  })

  it('creates one event if the first attempt was killed before its answer was stored', async () => {
    const { id: agentId } = await underground.agentOf(null)
    const ctx = trusted({ table: underground.table })
    const input = form.parse(concert(agentId))
    const first = await createEvent(ctx, input)
    expect(await createEvent(ctx, input)).toEqual(first)
  })

  it.each([
    ['name', { name: ' ' }],
    ['venue', { venue: '' }],
    ['description', { description: undefined }],
    ['eventDate', { eventDate: 'tomorrow' }],
    ['eventDate', { eventDate: '2030-02-30T00:00:00Z' }],
    ['eventDate', { eventDate: `2030-01-01T00:00:00.${'1'.repeat(1_000)}Z` }],
    ['ticketPriceUsdc', { ticketPriceUsdc: 5 }],
    ['ticketPriceUsdc', { ticketPriceUsdc: '-1' }],
    ['ticketPriceUsdc', { ticketPriceUsdc: '1e3' }],
    ['ticketPriceUsdc', { ticketPriceUsdc: '0.0000001' }],
    ['totalTickets', { totalTickets: 0 }],
    ['totalTickets', { totalTickets: 1.5 }],
    ['totalTickets', { totalTickets: 1_000_001 }],
    ['totalTickets', { totalTickets: '10' }],
    ['agentId', { agentId: undefined }],
  ])('rejects an invalid %s: %o', async (field, more) => {
    const { id } = await underground.agentOf(null)
    const [status, body] = await underground.call('POST', path, { body: concert(id, more) })
    expect([status, body.error]).toEqual([400, expect.stringContaining(field)])
  })

  it('accepts free tickets, and dates in any form of ISO 8601', async () => {
    for (const eventDate of ['2030-01-01', '2030-01-01T20:00', '2030-01-01T20:00:00+05:30'])
      expect(await newEvent({ eventDate, ticketPriceUsdc: '0' })).toMatchObject({
        event_date: eventDate,
        ticket_price_usdc: '0',
      })
  })

  it('returns 404 for an unknown agent and for another user’s', async () => {
    const owner = underground.newUserId()
    const { id } = await underground.agentOf(owner)
    const ask = async (agentId: string, userId?: string) =>
      (
        await underground.call('POST', path, { body: concert(agentId), ...(userId && { userId }) })
      )[0]
    expect(await ask('agt_unknown')).toBe(404)
    expect(await ask(id, underground.newUserId())).toBe(404)
    expect(await ask(id, owner)).toBe(201)
  })
})

describe('GET /api/underground/events', () => {
  it('lists events by their time, the last first, in any time zone', async () => {
    const late = await newEvent({ eventDate: '2040-01-01T00:30:00+02:00' })
    const later = await newEvent({ eventDate: '2040-01-01T00:00:00' })
    const latest = await newEvent({ eventDate: '2040-01-01T00:00:00-01:00' })
    const [status, events] = await underground.call<{ id: number }[]>('GET', path)
    const ids = events.map(({ id }) => id)
    expect(status).toBe(200)
    expect(ids.filter((id) => [late.id, later.id, latest.id].includes(id))).toEqual([
      latest.id,
      later.id,
      late.id,
    ])
  })

  it('limits a page to the response size', async () => {
    const fresh = await startUnderground()
    try {
      const { id: agentId } = await fresh.agentOf(null)
      // JSON writes each of these characters with six.
      const description = '\u0001'.repeat(5_000)
      for (let day = 0; day < 56; day++) {
        const eventDate = new Date(Date.UTC(2030, 0, 1 + day)).toISOString()
        const body = concert(agentId, { description, eventDate })
        expect((await fresh.call('POST', path, { body }))[0]).toBe(201)
      }
      const [status, events] = await fresh.call<{ id: number }[]>('GET', path)
      expect([status, events[0]?.id]).toEqual([200, 56])
      expect(events.length).toBeGreaterThan(40)
      expect(JSON.stringify(events).length).toBeLessThan(1_500_000)
    } finally {
      await fresh.close()
    }
  })

  it.each([
    [null, 401],
    ['wrong', 403],
  ])('accepts only the internal key, not %s', async (bearer, refused) => {
    for (const method of ['GET', 'POST'])
      expect((await underground.call(method, path, { bearer }))[0]).toBe(refused)
  })
})

describe('POST /api/underground/events/:id/tickets', () => {
  const sell = (id: unknown, body: object, headers = {}) =>
    underground.call<{ ticketIds: string[]; remaining: number; code?: string }>(
      'POST',
      `${path}/${String(id)}/tickets`,
      { body: { buyer: 'Eve', quantity: 1, ...body }, headers },
    )

  it('sells tickets, each with its own id, until they are sold out', async () => {
    const { id } = await newEvent()
    const [status, first] = await sell(id, { quantity: 4 })
    expect([status, first.remaining]).toEqual([201, 6])
    const [, second] = await sell(id, { quantity: 6 })
    expect(second.remaining).toBe(0)
    const ids = [...first.ticketIds, ...second.ticketIds]
    expect(new Set(ids).size).toBe(10)
    expect(await sell(id, {})).toMatchObject([409, { code: 'SOLD_OUT', remaining: 0 }])
  })

  it('never sells more tickets than available, under concurrent purchases', async () => {
    const { id } = await newEvent({ totalTickets: 20 })
    const sales = await Promise.all(
      Array.from({ length: 30 }, (_, i) => sell(id, { quantity: (i % 3) + 1 })),
    )
    const sold = sales.flatMap(([status, sale]) => (status === 201 ? sale.ticketIds : []))
    expect(new Set(sold).size).toBe(sold.length)
    const [, { remaining }] = await sell(id, { quantity: 1_000 })
    expect(sold.length + remaining).toBe(20)
    // A sale is rejected only if it asks for more than the remaining tickets, and each asks for three at most.
    expect(remaining).toBeLessThan(3)
    for (const [status, sale] of sales)
      if (status !== 201) expect([status, sale.code]).toEqual([409, 'SOLD_OUT'])
  })

  it('sells once under one Idempotency-Key, also the last ticket', async () => {
    const { id } = await newEvent({ totalTickets: 1 })
    const key = { 'idempotency-key': `last-${id}` }
    const [, first] = await sell(id, {}, key)
    expect(await sell(id, {}, key)).toMatchObject([201, first])
  })

  it.each([
    ['quantity', { quantity: 0 }],
    ['quantity', { quantity: 1_001 }],
    ['quantity', { quantity: 1.5 }],
    ['quantity', { quantity: '1' }],
    ['buyer', { buyer: '' }],
    ['buyer', { buyer: 'x'.repeat(201) }],
  ])('rejects an invalid %s and sells nothing', async (field, body) => {
    const { id } = await newEvent()
    expect(await sell(id, body)).toMatchObject([400, { error: expect.stringContaining(field) }])
    expect((await sell(id, {}))[1].remaining).toBe(9)
  })

  it.each(['0', '-1', '1e3', '999999999', 'x', '1.0'])(
    'returns 404 for the event %s',
    async (id) => {
      expect((await sell(id, {}))[0]).toBe(404)
    },
  )
})
