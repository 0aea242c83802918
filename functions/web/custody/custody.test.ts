import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { agentKey } from '#shared/agents/record/agent.ts'
import type { CustodySettings } from '#shared/network/custody/open.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { type Accounts, startAccounts } from '#tests/support/accounts/accounts.ts'
import { auditOf } from '#tests/support/accounts/audit.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { ownTimeouts, passTime } from '#tests/support/clock/time.ts'
import { callerOf, type UserCall } from '#tests/support/http/caller.ts'
import {
  type PlayedCustodian,
  startCustodian,
  type CustodianFault,
} from '#tests/support/network/custodian.ts'
import { before } from '#tests/support/platform/recorded-table.ts'
import * as group from '../custody.ts'

const path = '/api/wallet/cdp'

interface Person {
  id: string
  session: string
}

let accounts: Accounts
let custodian: PlayedCustodian
let ada: Person
let eve: Person
const logged: unknown[] = []

beforeAll(async () => {
  ;[accounts, custodian] = await Promise.all([startAccounts(), startCustodian()])
  ada = await accounts.signUp('ada@b.co')
  eve = await accounts.signUp('eve@b.co')
})
afterAll(async () => {
  await Promise.all([accounts.close(), custodian.close()])
})
beforeEach(() => void vi.spyOn(console, 'log').mockImplementation((line) => logged.push(line)))

interface Given extends UserCall {
  custody?: Partial<CustodySettings>
  table?: Table
}

async function call(method: string, { custody, table = accounts.table, ...rest }: Given = {}) {
  const services = {
    table,
    chain: { EVM_CHAIN_ID: 8453 },
    custody: { ...custodian.settings, ...custody } as CustodySettings,
  }
  const answer = await callerOf(group, services)(method, path, rest)
  const body = (await answer.json()) as Record<string, unknown>
  return { status: answer.status, body, retryAfter: answer.headers.get('retry-after') }
}

const create = (person: Person, agentId: unknown, given: Given = {}) =>
  call('POST', { session: person.session, body: { agentId }, ...given })

const list = async (person: Person) => (await call('GET', { session: person.session })).body

const someAgent = async (person = ada) => (await putAgent(accounts.table, person.id)).id

/** Returns the custodian's account of an agent. */
const held = (agentId: string) => custodian.accounts.get(agentId.replace('_', '-'))

describe('a wallet at the custodian', () => {
  it.each(['settings', 'onP256'] as const)(
    'is created once for an agent, and listed with its owner’s others, by %s',
    async (keys) => {
      const person = await accounts.signUp(`${keys.toLowerCase()}@b.co`)
      expect(await list(person)).toEqual({ wallets: [], count: 0 })
      const [first, second] = [await someAgent(person), await someAgent(person)]
      const made = await create(person, first, { custody: custodian[keys] })
      const address = held(first)
      expect(made).toMatchObject({
        status: 201,
        body: { address, agentId: first, userId: person.id },
      })
      const requestCount = custodian.asked.length
      expect(await create(person, first)).toMatchObject({ status: 200, body: made.body })
      expect(custodian.asked).toHaveLength(requestCount)
      await create(person, second)
      expect(await list(person)).toEqual({
        wallets: [
          { address, agentId: first, balance_usdc: null, chain_id: 8453 },
          { address: held(second), agentId: second, balance_usdc: null, chain_id: 8453 },
        ],
        count: 2,
      })
      const audited = await auditOf(accounts.table, person.id)
      expect(audited.filter(({ action }) => action === 'wallet.created')).toMatchObject([
        { target: address },
        { target: held(second) },
      ])
    },
  )

  it('is created once under concurrent requests', async () => {
    const agentId = await someAgent()
    const answers = await Promise.all(Array.from({ length: 5 }, () => create(ada, agentId)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 201])
    expect(new Set(answers.map(({ body }) => body['address']))).toEqual(new Set([held(agentId)]))
  })

  it('is listed only for its owner, and not for another user’s agent', async () => {
    const agentId = await someAgent()
    await create(ada, agentId)
    expect((await create(eve, agentId)).status).toBe(404)
    expect((await create(eve, `agt_${'0'.repeat(26)}`)).status).toBe(404)
    expect(await list(eve)).toEqual({ wallets: [], count: 0 })
  })

  it('stays after its agent was deleted', async () => {
    const bob = await accounts.signUp('bob@b.co')
    const agentId = await someAgent(bob)
    await create(bob, agentId)
    await accounts.table.delete(agentKey({ userId: bob.id, agentId }))
    expect(await list(bob)).toMatchObject({ wallets: [{ address: held(agentId), agentId }] })
  })

  it('is not stored for an agent that was deleted in the meantime', async () => {
    const agentId = await someAgent()
    const table = before(accounts.table, async (name) => {
      if (name === 'transact') await accounts.table.delete(agentKey({ userId: ada.id, agentId }))
    })
    expect((await create(ada, agentId, { table })).status).toBe(404)
    expect(JSON.stringify(await list(ada))).not.toContain(agentId)
  })

  it.each([undefined, '', 7, null])('is not created for the agent %j: 400', async (agentId) => {
    const { status, body } = await create(ada, agentId)
    expect([status, body['error']]).toEqual([400, expect.stringContaining('agentId')])
  })

  it.each(['GET', 'POST'])('requires a session: %s', async (method) => {
    const body = method === 'POST' ? { body: { agentId: 'agt_1' } } : {}
    for (const wrong of [{}, { session: 'guessed' }, { key: 'sk_guessed' }])
      expect((await call(method, { ...wrong, ...body })).status).toBe(401)
  })
})

describe('a process that is killed', () => {
  it('a process that is killed after the custodian’s response leaves an account that the next create finds', async () => {
    const agentId = await someAgent()
    const table = before(accounts.table, (name) => {
      if (name === 'transact') throw new Error('killed')
    })
    expect((await create(ada, agentId, { table })).status).toBe(500)
    const address = held(agentId)
    expect(address).toBeDefined()
    expect(await create(ada, agentId)).toMatchObject({ status: 201, body: { address } })
  })

  it.each<CustodianFault>([
    'lost',
    { status: 409, body: { errorType: 'already_exists' } },
    { status: 422, body: {} },
  ])(
    'a process that is killed or a lost response (%j) creates no second account',
    async (trouble) => {
      const agentId = await someAgent()
      custodian.meets('lost', trouble)
      await create(ada, agentId)
      const address = held(agentId)
      await create(ada, agentId)
      expect(await create(ada, agentId)).toMatchObject({ body: { address } })
    },
  )
})

describe('a custodian that fails', () => {
  const other = { name: 'agt-another', address: `0x${'1'.repeat(40)}` }
  const busy = (status: number, retryAfter?: string): CustodianFault => ({
    status,
    body: {},
    ...(retryAfter !== undefined && { headers: { 'retry-after': retryAfter } }),
  })
  it.each<[string, CustodianFault, number, string | null]>([
    ['is busy for 17 seconds', busy(429, '17'), 503, '17'],
    ['is busy without a time', busy(429, 'soon'), 503, '5'],
    ['is unavailable', busy(503), 503, '5'],
    ['rejects the keys', busy(401), 503, null],
    ['requires a payment', busy(402), 503, null],
    ['fails', busy(500), 502, null],
    ['rejects the request', busy(400), 502, null],
    ['redirects', { status: 302, body: {}, headers: { location: '/' } }, 502, null],
    ['returns a page', { status: 201, body: '<html>' }, 502, null],
    ['returns no account', { status: 201, body: {} }, 502, null],
    ['returns no address', { status: 201, body: { ...other, address: '0x12' } }, 502, null],
    ['returns another account', { status: 201, body: other }, 502, null],
    ['returns an endless body', { status: 201, body: 'x'.repeat(70_000) }, 502, null],
    ['disconnects', 'hangs up', 502, null],
    ['interrupts its response', 'lost', 502, null],
  ])('%s: nothing is stored', async (_, trouble, status, retryAfter) => {
    const agentId = await someAgent()
    custodian.meets(trouble)
    expect(await create(ada, agentId)).toMatchObject({ status, retryAfter })
    expect(JSON.stringify(await list(ada))).not.toContain(agentId)
    expect((await create(ada, agentId)).status).toBe(201)
  })

  it('a custodian that fails that is still creating the account under that key returns 503, try again', async () => {
    const agentId = await someAgent()
    custodian.meets({ status: 409, body: { errorType: 'already_exists' } })
    expect(await create(ada, agentId)).toMatchObject({ status: 503, retryAfter: '5' })
  })

  it('a custodian that fails that does not respond returns 502 after ten seconds', async () => {
    const agentId = await someAgent()
    ownTimeouts()
    custodian.meets('silent')
    let waits = true
    const answer = create(ada, agentId).finally(() => (waits = false))
    await custodian.silent
    let ms = 0
    await passTime(
      () => waits,
      100,
      () => void (ms += 100),
    )
    expect((await answer).status).toBe(502)
    expect(ms).toBeLessThan(12_000)
  })
})

describe('without its settings', () => {
  const names = ['CDP_API_KEY_ID', 'CDP_API_KEY_SECRET', 'CDP_WALLET_SECRET'] as const
  it.each(['GET', 'POST'])('%s returns 503 and names the missing setting', async (method) => {
    const { session } = ada
    const input = { session, ...(method === 'POST' && { body: { agentId: 'agt_1' } }) }
    const none = Object.fromEntries(names.map((name) => [name, undefined]))
    expect(await call(method, { ...input, custody: none })).toMatchObject({
      status: 503,
      body: { missing: names },
    })
    for (const name of names)
      expect(await call(method, { ...input, custody: { [name]: undefined } })).toMatchObject({
        status: 503,
        body: { missing: [name] },
      })
  })

  it.each([
    ['CDP_API_KEY_SECRET', 'no key at all'],
    ['CDP_API_KEY_SECRET', Buffer.alloc(63).toString('base64')],
    ['CDP_API_KEY_SECRET', pemOn('secp256k1')],
    ['CDP_WALLET_SECRET', Buffer.from('nothing').toString('base64')],
    ['CDP_WALLET_SECRET', pemOn('P-256')],
  ])('%s in an invalid form returns 503 that names it without its value', async (name, value) => {
    const { status, body } = await call('GET', { ...ada, custody: { [name]: value } })
    expect([status, body['missing']]).toEqual([503, [name]])
    expect(JSON.stringify(body)).not.toContain(value)
  })
})

it('the custodian is called without TLS only on this machine', async () => {
  const agentId = await someAgent()
  for (const custody of [{ deployed: true }, { CDP_API_URL: 'http://192.0.2.1' }])
    expect((await create(ada, agentId, { custody })).status).toBe(500)
})

it('keys and tokens are never logged', () => {
  const text = JSON.stringify(logged)
  expect(Math.min(logged.length, custodian.secrets.length)).toBeGreaterThan(50)
  for (const secret of custodian.secrets) expect(text).not.toContain(secret)
})

function pemOn(namedCurve: string): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve })
  return String(privateKey.export({ format: 'pem', type: 'pkcs8' }))
}
