import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { negotiations } from '#functions/backend/bus/negotiations.ts'
import { bcryptPasswords } from '#shared/accounts/users/password.ts'
import { type Accounts, startAccounts } from '#tests/support/accounts/accounts.ts'
import { testSigner } from '#tests/support/chains/signer.ts'
import { callerOf } from '#tests/support/http/caller.ts'
import { busCaller, message, sign, type Signer } from '#tests/support/network/bus.ts'
import { newAddress, type SplitWorld, startSplits } from '#tests/support/network/splits.ts'
import * as group from '../splits.ts'

let world: SplitWorld
let accounts: Accounts
let users = 0

beforeAll(async () => {
  world = await startSplits()
  accounts = await startAccounts({ table: world.table })
})
afterAll(() => Promise.all([world.close(), accounts.close()]))

interface Person {
  id: string
  session: string
  agent: Signer
  /** The wallet of the agent. */
  address: string
}

const signer = () => testSigner(world.table)({ requestId: 'req_1', askedBy: 'internal:usr_1' })

/** Creates a user with a plan, an agent and its wallet. */
async function newPerson(micro = 0n): Promise<Person> {
  const { id, session } = await accounts.signUp(`skills${++users}@b.co`)
  await world.table.update(
    { pk: `user#${id}`, sk: 'profile' },
    { set: { plan: 'solo', subscription: { id: null, status: 'active', customerId: null } } },
  )
  const agent = await busCaller(world.table).signer(id)
  const { address } = await signer().createWallet({ agentId: agent.agent.id })
  await world.anvil.request('anvil_setBalance', address, '0xde0b6b3a7640000')
  if (micro > 0n) await world.onToken('mint', [address, micro])
  return { id, session, agent, address }
}

async function ask(
  skill: 'booking-settlement' | 'instant-split',
  session: string,
  body?: object,
  { chain = true, headers = {} }: { chain?: boolean; headers?: Record<string, string> } = {},
): Promise<[number, Record<string, unknown>]> {
  const call = callerOf(group, {
    table: world.table,
    queues: world.queues,
    signer: signer(),
    passwords: bcryptPasswords(4),
    lockouts: false,
    chain: { EVM_CHAIN_ID: 8453, ...(chain && { EVM_RPC_URL: world.anvil.url }) },
  })
  const method = body === undefined ? 'GET' : 'POST'
  const answer = await call(method, `/api/skills/${skill}`, { session, body, headers })
  return [answer.status, (await answer.json()) as Record<string, unknown>]
}

async function sendMessage(
  from: Person,
  to: Person,
  action: string,
  payload: object,
): Promise<string> {
  const bus = busCaller(world.table, { negotiations })
  const signed = await sign(from.agent, message(from.agent, to.agent.agent, { action, payload }))
  const { status, body } = await bus.send(signed)
  expect([status, body.error]).toEqual([200, undefined])
  return signed.messageId
}

/** Creates a booking that both sides accepted. */
async function agreed(from: Person, to: Person, opening: string, more: object = {}) {
  const bookingId = await sendMessage(from, to, opening, {
    amount: '12.5',
    currency: 'USDC',
    ...more,
  })
  await sendMessage(to, from, 'BOOKING_ACCEPT', { bookingId })
  return bookingId
}

describe('booking-settlement', () => {
  it('describes itself', async () => {
    const { session } = await newPerson()
    const [status, shown] = await ask('booking-settlement', session)
    expect([status, shown]).toMatchObject([
      200,
      { skill: 'booking-settlement', version: expect.any(String), currency: 'USDC' },
    ])
    const actions = ['list', 'status', 'settle'].map((name) => expect.objectContaining({ name }))
    expect(shown.actions).toEqual(actions)
  })

  it.each([
    ['BOOKING_REQUEST', 'its opener'],
    ['BOOKING_OFFER', 'the side that it was offered to'],
  ])('pays the agreed amount on a %s, from %s', async (opening) => {
    const [from, to] = [await newPerson(20_000_000n), await newPerson(20_000_000n)]
    const [payer, payee] = opening === 'BOOKING_REQUEST' ? [from, to] : [to, from]
    const bookingId = await agreed(from, to, opening)
    const settle = () => ask('booking-settlement', payer.session, { action: 'settle', bookingId })
    const settled = await Promise.all([settle(), settle(), settle()])
    const splitId = Number(settled[0]![1].splitId)
    for (const [status, body] of settled)
      expect([status, body]).toEqual([
        200,
        { success: true, bookingId, splitId, status: expect.stringMatching(/queued|processing/) },
      ])
    expect(await world.until(splitId)).toMatchObject({ status: 'completed' })
    expect(await world.balance(payee.address)).toBe(32_500_000n)
    expect(await world.balance(payer.address)).toBe(7_500_000n)
    expect(await settle()).toEqual([
      200,
      { success: true, bookingId, splitId, status: 'completed' },
    ])
    for (const { session } of [payer, payee]) {
      const shown = await ask('booking-settlement', session, { action: 'status', bookingId })
      expect(shown).toMatchObject([200, { splitId, status: 'completed', booking: { splitId } }])
      expect(await ask('booking-settlement', session, { action: 'list' })).toMatchObject([
        200,
        { bookings: [{ bookingId, status: 'accepted', splitId }] },
      ])
    }
    expect(await world.balance(payee.address)).toBe(32_500_000n)
  })

  it('is used only by the booking party, and hidden from others', async () => {
    const [booker, talent, third] = [await newPerson(), await newPerson(), await newPerson()]
    const bookingId = await agreed(booker, talent, 'BOOKING_REQUEST')
    const settle = async ({ session }: Person, id = bookingId) =>
      (await ask('booking-settlement', session, { action: 'settle', bookingId: id }))[0]
    expect(await settle(talent)).toBe(403)
    expect(await settle(third)).toBe(404)
    expect(await settle(booker, 'unknown')).toBe(404)
    const look = { action: 'status', bookingId }
    expect((await ask('booking-settlement', third.session, look))[0]).toBe(404)
    expect(await ask('booking-settlement', third.session, { action: 'list' })).toEqual([
      200,
      { bookings: [] },
    ])
    expect((await ask('booking-settlement', 'wrong', look))[0]).toBe(401)
  })

  it('pays nothing that is not accepted, not in USDC, or free', async () => {
    const [booker, talent] = [await newPerson(1n), await newPerson()]
    const settle = async (bookingId: string, chain = true) =>
      (
        await ask('booking-settlement', booker.session, { action: 'settle', bookingId }, { chain })
      )[0]
    const offer = { amount: '1', currency: 'USDC' }
    expect(await settle(await sendMessage(booker, talent, 'BOOKING_REQUEST', offer))).toBe(409)
    const euro = await agreed(booker, talent, 'BOOKING_REQUEST', { currency: 'EUR' })
    expect(await settle(euro)).toBe(400)
    const free = await agreed(booker, talent, 'BOOKING_REQUEST', { amount: '0' })
    expect(await settle(free)).toBe(400)
    expect(await settle(await agreed(booker, talent, 'BOOKING_REQUEST'), false)).toBe(503)
    for (const action of ['pay', undefined])
      expect(
        (await ask('booking-settlement', booker.session, { action, bookingId: free }))[0],
      ).toBe(400)
  })
})

describe('instant-split', () => {
  const terms = (person: Person, more: object = {}) => ({
    action: 'create',
    agentId: person.agent.agent.id,
    name: 'Royalties',
    totalAmount: '3',
    recipients: [
      { address: newAddress(), share: 50 },
      { address: newAddress(), share: 50 },
    ],
    ...more,
  })

  it('pays from the agent’s wallet, and returns its progress', async () => {
    const person = await newPerson(5_000_000n)
    const [status, made] = await ask('instant-split', person.session, terms(person))
    const splitId = Number(made.splitId)
    expect([status, made]).toEqual([200, { success: true, splitId, status: 'queued' }])
    await world.until(splitId)
    const [, shown] = await ask('instant-split', person.session, { action: 'status', splitId })
    expect(shown).toMatchObject({ status: 'completed', recipients: [{ amount: '1.500000' }, {}] })
    expect(await world.balance(person.address)).toBe(2_000_000n)
    expect(await ask('instant-split', person.session, { action: 'list' })).toEqual([
      200,
      { splits: [shown] },
    ])
    const retry = { action: 'retry', splitId }
    expect((await ask('instant-split', person.session, retry))[0]).toBe(409)
  })

  it('retries a failed split', async () => {
    const person = await newPerson()
    const [, { splitId }] = await ask('instant-split', person.session, terms(person))
    expect(await world.until(Number(splitId))).toMatchObject({ status: 'failed' })
    await world.onToken('mint', [person.address as `0x${string}`, 3_000_000n])
    const retry = { action: 'retry', splitId }
    expect(await ask('instant-split', person.session, retry)).toMatchObject([
      200,
      { status: 'queued' },
    ])
    expect(await world.until(Number(splitId))).toMatchObject({ status: 'completed' })
  })

  it('creates one split under one Idempotency-Key', async () => {
    const person = await newPerson(5_000_000n)
    const headers = { 'idempotency-key': `skill-${person.id}` }
    const body = terms(person)
    const [, first] = await ask('instant-split', person.session, body, { headers })
    expect(await ask('instant-split', person.session, body, { headers })).toEqual([200, first])
  })

  it('rejects another user’s agent or split, and invalid input', async () => {
    const [person, other] = [await newPerson(5_000_000n), await newPerson(5_000_000n)]
    const [, { splitId }] = await ask('instant-split', person.session, terms(person))
    const asked = async (body: object) => (await ask('instant-split', other.session, body))[0]
    expect(await asked(terms(person))).toBe(404)
    expect(await asked({ action: 'status', splitId })).toBe(404)
    expect(await asked({ action: 'retry', splitId })).toBe(404)
    expect(await asked({ action: 'steal' })).toBe(400)
    for (const totalAmount of ['0', '-1', '1e3', '1.0000001', 1])
      expect(await asked(terms(other, { totalAmount }))).toBe(400)
    expect(await asked(terms(other, { recipients: [] }))).toBe(400)
    expect(
      await asked(terms(other, { recipients: [{ address: other.address, share: 100 }] })),
    ).toBe(400)
    expect((await ask('instant-split', other.session, terms(other), { chain: false }))[0]).toBe(503)
    expect((await ask('instant-split', 'wrong', { action: 'list' }))[0]).toBe(401)
    expect(await ask('instant-split', other.session, { action: 'list' })).toEqual([
      200,
      { splits: [] },
    ])
  })
})
