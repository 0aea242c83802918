import { isAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '#shared/http/app.ts'
import type { UsdcSettings } from '#shared/money/evm/usdc.ts'
import { findWalletOf } from '#shared/money/wallets/find.ts'
import { auditOf } from '#tests/support/accounts/audit.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { noAnvil } from '#tests/support/chains/anvil.ts'
import { testSigner } from '#tests/support/chains/signer.ts'
import { startUsdcChain, usdc, type UsdcChain } from '#tests/support/chains/usdc-chain.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { routes } from '../wallets.ts'

const path = '/api/underground/wallets'

let db: TestTable

beforeAll(async () => {
  db = await startTestTable()
})
afterAll(() => db.close())

interface Call {
  body?: unknown
  headers?: Record<string, string>
  chain?: Partial<UsdcSettings>
}

async function call(method: string, at: string, { body, headers, chain }: Call = {}) {
  const app = createApp({
    surface: 'backend',
    name: 'backend-wallets',
    routes,
    services: ({ requestId, askedBy }) => ({
      table: db.table,
      chain: { EVM_CHAIN_ID: 8453, ...chain },
      signer: testSigner(db.table)({ requestId, askedBy }),
    }),
    settings: { RATE_LIMITS: 'off', INTERNAL_API_KEY: 'internal-key' },
    table: db.table,
  })
  const answer = await app.request(at, {
    method,
    headers: {
      authorization: 'Bearer internal-key',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

const create = (body: unknown, headers?: Record<string, string>) =>
  call('POST', path, { body, ...(headers && { headers }) })

describe('a wallet of an agent', () => {
  it('is created for its owner, and a second create returns the same', async () => {
    const { id: agentId } = await putAgent(db.table, 'usr_ada')
    const body = { userId: 'usr_ada', agentId }
    const made = await create(body)
    const { address } = made.body
    expect(made).toEqual({ status: 201, body: { address, agentId, userId: 'usr_ada' } })
    expect(isAddress(String(address))).toBe(true)
    expect(await create(body)).toEqual({ status: 200, body: made.body })
    expect(
      (await auditOf(db.table, 'usr_ada')).map(({ action, actor }) => [action, actor]),
    ).toEqual([['wallet.created', 'internal:']])
  })

  it('is returned unchanged under the same Idempotency-Key', async () => {
    const { id: agentId } = await putAgent(db.table, 'usr_ida')
    const again = () => create({ userId: 'usr_ida', agentId }, { 'idempotency-key': 'once' })
    const made = await again()
    expect(made.status).toBe(201)
    expect(await again()).toEqual(made)
  })

  it('is not created for another user’s agent, nor for a missing one', async () => {
    const { id: agentId } = await putAgent(db.table, 'usr_eve')
    for (const body of [
      { userId: 'usr_ada', agentId },
      { userId: 'usr_ada', agentId: 'nothing' },
      { userId: 'usr_ada', agentId: `agt_${'0'.repeat(26)}` },
    ])
      expect(await create(body)).toMatchObject({ status: 404, body: { error: 'Agent not found' } })
    expect(await findWalletOf(db, { agentId })).toBeUndefined()
  })

  it.each([
    [{ agentId: 'agt_1' }, 'userId'],
    [{ userId: 'usr_ada' }, 'agentId'],
    [{ userId: '', agentId: 'agt_1' }, 'userId'],
    [{ userId: 5, agentId: 'agt_1' }, 'userId'],
    [{ userId: 'usr_ada', agentId: ['agt_1'] }, 'agentId'],
    [{ userId: 'usr_ada', agentId: 'a'.repeat(129) }, 'agentId'],
  ])('is rejected for %j: 400 that names %s', async (body, field) => {
    const { status, body: answer } = await create(body)
    expect(status).toBe(400)
    expect(answer.error).toContain(field)
  })

  it('is created only for the user in x-user-id', async () => {
    const { id: agentId } = await putAgent(db.table, 'usr_ada')
    const body = { userId: 'usr_ada', agentId }
    expect((await create(body, { 'x-user-id': 'usr_eve' })).status).toBe(400)
    expect((await create(body, { 'x-user-id': 'usr_ada' })).status).toBe(201)
  })

  it.each([
    ['', 401],
    ['internal-key', 401],
    ['Bearer guessed', 403],
  ])('requires the platform’s key, not %j', async (authorization, refused) => {
    const headers = { authorization }
    expect((await create({ userId: 'usr_ada', agentId: 'agt_1' }, headers)).status).toBe(refused)
    const answer = await call('GET', `${path}/${usdc}/balance?userId=usr_ada`, { headers })
    expect(answer.status).toBe(refused)
  })
})

describe.skipIf(noAnvil)(
  `its balance${noAnvil === undefined ? '' : ` (skipped: ${noAnvil})`}`,
  () => {
    let anvil: UsdcChain
    let address: string
    const balance = (at: string, query = '?userId=usr_bea', chain: Call['chain'] = {}) =>
      call('GET', `${path}/${at}/balance${query}`, { chain: { EVM_RPC_URL: anvil.url, ...chain } })

    beforeAll(async () => {
      anvil = await startUsdcChain()
      const { id: agentId } = await putAgent(db.table, 'usr_bea')
      address = String((await create({ userId: 'usr_bea', agentId })).body.address)
    })
    afterAll(() => anvil.close())

    it('equals the chain’s, to the millionth, for an address in any valid case', async () => {
      expect(await balance(address)).toEqual({ status: 200, body: { address, balance_usdc: 0 } })
      await anvil.mint(address, 1_234_567_890_123n)
      for (const at of [address, address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`])
        expect(await balance(at)).toEqual({
          status: 200,
          body: { address, balance_usdc: 1_234_567.890123 },
        })
    })

    it('a wallet is shown only to its owner, and only if it is an agent’s', async () => {
      expect((await balance(address, '?userId=usr_eve')).status).toBe(403)
      expect(await balance(usdc)).toMatchObject({
        status: 404,
        body: { error: 'Wallet not found' },
      })
      expect((await balance(address, '')).body.error).toContain('userId')
      expect((await balance(address, '')).status).toBe(400)
    })

    it('a request with an invalid address or a wrong checksum is rejected', async () => {
      const mistyped = address.replace(/[a-f]/i, (letter) =>
        letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
      )
      for (const at of ['0x12', address.slice(2), mistyped]) {
        const { status, body } = await balance(at)
        expect([status, body.error]).toEqual([400, expect.stringContaining('address')])
      }
    })

    it.each([
      ['without a node', { EVM_RPC_URL: undefined }, ['EVM_RPC_URL']],
      ['on another chain without its USDC', { EVM_CHAIN_ID: 1 }, ['USDC_ADDRESS']],
      [
        'without a node and USDC',
        { EVM_CHAIN_ID: 1, EVM_RPC_URL: undefined },
        ['EVM_RPC_URL', 'USDC_ADDRESS'],
      ],
      [
        'with a node of another chain',
        { EVM_CHAIN_ID: 84_532, USDC_ADDRESS: usdc },
        ['EVM_RPC_URL'],
      ],
      ['without a token contract', { USDC_ADDRESS: `0x${'1'.repeat(40)}` }, ['USDC_ADDRESS']],
    ])('returns 503 %s', async (_, chain, missing) => {
      expect(await balance(address, undefined, chain)).toMatchObject({
        status: 503,
        body: { missing },
      })
    })

    it('returns 503 while the node is unavailable, never a zero balance', async () => {
      const down = { EVM_RPC_URL: 'http://127.0.0.1:1/with-a-key' }
      const { status, body } = await balance(address, undefined, down)
      expect([status, body.error]).toEqual([503, 'The chain cannot be reached'])
      expect(JSON.stringify(body)).not.toContain('with-a-key')
    })
  },
)
