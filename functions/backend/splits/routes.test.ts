import { randomUUID } from 'node:crypto'
import { zeroAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { listSplits } from '#shared/network/splits/find.ts'
import {
  newAddress,
  type Payer,
  recipients,
  type SplitWorld,
  startSplits,
} from '#tests/support/network/splits.ts'

let world: SplitWorld
let payer: Payer

beforeAll(async () => {
  world = await startSplits()
  payer = await world.newPayer()
})
afterAll(() => world.close())

const post = (more: Record<string, unknown>) =>
  world.call('POST', '/api/underground/splits', { body: world.order(payer, more) })

const two = (first: unknown, second: unknown) => ({
  recipients: [
    { address: newAddress(), share: first },
    { address: newAddress(), share: second },
  ],
})

describe('a split is rejected', () => {
  it.each([
    '-1',
    '+1',
    '0',
    '0.000000',
    '1e3',
    '1.0000001',
    '1234567890123',
    ' 1',
    '1,5',
    '0x10',
    'NaN',
    'Infinity',
    '',
    '.5',
    '1.',
    10,
    null,
  ])('a split is rejected for the total %j', async (totalAmount) => {
    const { status, body } = await post({ totalAmount })
    expect(status).toBe(400)
    expect(body.error).toContain('totalAmount')
  })

  it.each([
    [50, 49.9],
    [50, 49.98],
    [50, 50.02],
    [100, 0],
    [150, -50],
    ['50', '50'],
    [null, 100],
    [50, undefined],
  ])('a split is rejected for the shares %j and %j', async (first, second) => {
    expect((await post(two(first, second))).status).toBe(400)
  })

  it.each(['NaN', 'Infinity', '1e999', '-0'])(
    'a split is rejected for the share %s',
    async (share) => {
      const body = JSON.stringify(world.order(payer)).replace('"share":100', `"share":${share}`)
      expect((await world.call('POST', '/api/underground/splits', { body })).status).toBe(400)
    },
  )

  it('a split is rejected for no recipient, for 51, and for one that is named twice', async () => {
    const address = newAddress()
    const again = { address: address.toLowerCase(), share: 50 }
    for (const list of [[], recipients(51), [{ address, share: 50 }, again], 'all', {}])
      expect((await post({ recipients: list })).status).toBe(400)
  })

  it.each([
    ['with a wrong checksum', (address: string) => `0x${flipped(address)}`],
    ['that is too short', (address: string) => address.slice(0, -1)],
    ['without 0x', (address: string) => address.slice(2)],
    ['without hex digits', (address: string) => address.replace(/.$/, 'g')],
    ['that is zero', () => zeroAddress],
  ])('a split is rejected for an address %s', async (_, spoil) => {
    const address = spoil(newAddress())
    const { status, body } = await post({ recipients: [{ address, share: 100 }] })
    expect(status).toBe(400)
    expect(body.error).toContain('address')
  })

  it('a split is rejected for the paying wallet itself', async () => {
    const address = payer.address.toLowerCase()
    expect((await post({ recipients: [{ address, share: 100 }] })).status).toBe(400)
  })

  it('a split is rejected from a wallet of another user or agent, and from a missing wallet', async () => {
    const other = await world.newPayer()
    expect((await post({ fromAddress: other.address })).status).toBe(403)
    expect((await post({ userId: other.userId })).status).toBe(403)
    expect((await post({ agentId: other.agentId })).status).toBe(400)
    expect((await post({ fromAddress: newAddress() })).status).toBe(404)
    const headers = { 'x-user-id': other.userId }
    const body = world.order(payer)
    const forged = await world.call('POST', '/api/underground/splits', { body, headers })
    expect(forged).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('userId') },
    })
  })

  it.each(['userId', 'agentId', 'fromAddress', 'name', 'totalAmount', 'recipients'])(
    'a split is rejected without %s',
    async (field) => {
      const { status, body } = await post({ [field]: undefined })
      expect(status).toBe(400)
      expect(body.error).toContain(field)
    },
  )

  it('a split is rejected without a chain, or on a chain without a configured USDC contract', async () => {
    const body = world.order(payer)
    const on = (settings: Record<string, unknown>) =>
      world.call('POST', '/api/underground/splits', { body, settings })
    expect(await on({ EVM_RPC_URL: undefined })).toMatchObject({
      status: 503,
      body: { missing: ['EVM_RPC_URL'] },
    })
    expect(await on({ EVM_CHAIN_ID: 5 })).toMatchObject({
      status: 503,
      body: { missing: ['USDC_ADDRESS'] },
    })
    const usdc = { USDC_ADDRESS: payer.address }
    expect(await on({ EVM_CHAIN_ID: 5, ...usdc })).toMatchObject({
      status: 503,
      body: { missing: ['EVM_RPC_URL'] },
    })
  })

  it('a split is rejected without the platform’s key', async () => {
    const headers = { authorization: '' }
    const body = world.order(payer)
    expect((await world.call('POST', '/api/underground/splits', { body, headers })).status).toBe(
      401,
    )
    expect((await world.call('GET', '/api/underground/splits/1', { headers })).status).toBe(401)
  })
})

describe('a split', () => {
  it('is numbered from 1 on', async () => {
    const own = await startSplits()
    const first = await own.newPayer()
    expect([await own.create(first), await own.create(first)]).toEqual([1, 2])
    await own.close()
  })

  it.each([
    [33.33, 33.33, 33.33],
    [33.34, 33.34, 33.33],
    [1e-7, 50, 49.9999999],
  ])('takes the shares %j, %j and %j relative to their sum', async (...shares) => {
    const list = shares.map((share) => ({ address: newAddress(), share }))
    const { status, body } = await post({ totalAmount: '1', recipients: list })
    expect(status).toBe(200)
    const { recipients: parts } = await world.split(Number(body.splitId))
    const sum = parts.reduce((all, { amount }) => all + Number(amount.replace('.', '')), 0)
    expect(sum).toBe(1_000_000)
  })

  it('is created once for one Idempotency-Key', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const body = world.order(payer)
    const ask = (given = body) =>
      world.call('POST', '/api/underground/splits', { body: given, headers })
    const first = await ask()
    const again = await ask()
    expect(again.body).toEqual(first.body)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect((await ask({ ...body, name: 'other' })).status).toBe(409)
  })

  it('is returned only to its owner and to the platform', async () => {
    const splitId = await world.create(payer)
    const path = `/api/underground/splits/${splitId}`
    const as = (user: string) => world.call('GET', path, { headers: { 'x-user-id': user } })
    expect((await as(payer.userId)).status).toBe(200)
    expect((await as('usr_other')).status).toBe(404)
    for (const id of ['0', '-1', '1e3', 'x', '99999999', '01', '1.0'])
      expect((await world.call('GET', `/api/underground/splits/${id}`)).status).toBe(404)
  })

  it('is retried only if it has failed', async () => {
    const splitId = await world.create(payer)
    expect((await world.retry(splitId)).status).toBe(409)
    expect((await world.retry(99_999_999)).status).toBe(404)
    const other = { headers: { 'x-user-id': 'usr_other' } }
    expect((await world.retry(splitId, other)).status).toBe(404)
  })

  it('is listed for its owner, the newest first', async () => {
    const own = await world.newPayer()
    const ids = [await world.create(own), await world.create(own)]
    const listed = await listSplits(world, { userId: own.userId })
    expect(listed.map(({ splitId }) => splitId)).toEqual(ids.toReversed())
    expect(await listSplits(world, { userId: 'usr_other' })).toEqual([])
  })

  it('a split and its end are recorded in its user’s audit', async () => {
    const { table } = world
    const own = await world.newPayer()
    const splitId = await world.create(own)
    vi.spyOn(console, 'log').mockImplementation(() => {})
    await world.until(splitId)
    vi.restoreAllMocks()
    const { items } = await table.query({ pk: `user#${own.userId}`, beginsWith: 'audit#' })
    expect(items.map(({ action }) => action)).toEqual(['split.created', 'split.completed'])
  })
})

/** Changes the case of the first letter. */
function flipped(address: string): string {
  return address
    .slice(2)
    .replace(/[a-f]/i, (letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    )
}
