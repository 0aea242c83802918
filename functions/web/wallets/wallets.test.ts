import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { agentKey } from '#shared/agents/record/agent.ts'
import type { UsdcSettings } from '#shared/money/evm/usdc.ts'
import { type Accounts, startAccounts } from '#tests/support/accounts/accounts.ts'
import { auditOf } from '#tests/support/accounts/audit.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { noAnvil } from '#tests/support/chains/anvil.ts'
import { startLyingNode } from '#tests/support/chains/lying-node.ts'
import { testSigner } from '#tests/support/chains/signer.ts'
import { startUsdcChain, type UsdcChain } from '#tests/support/chains/usdc-chain.ts'
import { callerOf, type UserCall } from '#tests/support/http/caller.ts'
import { platformOver } from '#tests/support/http/platform-over.ts'
import * as group from '../wallets.ts'

interface Person {
  id: string
  session: string
}

let accounts: Accounts
let ada: Person
let eve: Person

beforeAll(async () => {
  accounts = await startAccounts()
  ada = await accounts.signUp('ada@b.co')
  eve = await accounts.signUp('eve@b.co')
})
afterAll(() => accounts.close())

function over(chain: Partial<UsdcSettings> = {}) {
  const { table } = accounts
  const signer = testSigner(table)({ requestId: 'req_1', askedBy: `user:${ada.id}` })
  return callerOf(group, { table, chain: { EVM_CHAIN_ID: 8453, ...chain }, signer })
}

async function call(
  method: string,
  path: string,
  given: UserCall & { chain?: Partial<UsdcSettings> } = {},
) {
  const { chain, ...rest } = given
  const answer = await over(chain)(method, path, rest)
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

const create = (person: Person, agentId: unknown) =>
  call('POST', '/api/wallet/create', { session: person.session, body: { agentId } })

describe('a user’s wallets', () => {
  it('are an empty list at first, without an address', async () => {
    const { session } = await accounts.signUp('new@b.co')
    const list = await call('GET', '/api/wallet', { session })
    expect(list).toEqual({ status: 200, body: { wallets: [], count: 0 } })
    expect((await call('GET', '/api/wallet/address', { session })).status).toBe(404)
  })

  it('are created for their agents, once each, and the newest is the default', async () => {
    const [first, second] = [
      await putAgent(accounts.table, ada.id),
      await putAgent(accounts.table, ada.id),
    ]
    const made = await create(ada, first.id)
    const { address } = made.body
    expect(made).toEqual({ status: 201, body: { address, agentId: first.id, userId: ada.id } })
    expect(await create(ada, first.id)).toEqual({ status: 200, body: made.body })
    expect((await auditOf(accounts.table, ada.id)).map(({ action }) => action)).toContain(
      'wallet.created',
    )
    const { address: newest } = (await create(ada, second.id)).body
    const addressAt = async (query = '') =>
      (await call('GET', `/api/wallet/address${query}`, ada)).body
    expect(await addressAt()).toEqual({ address: newest, agentId: second.id })
    expect(await addressAt(`?agentId=${first.id}`)).toEqual({ address, agentId: first.id })
    expect(await call('GET', '/api/wallet', ada)).toEqual({
      status: 200,
      body: {
        wallets: [
          { address, agentId: first.id, balance_usdc: null, chain_id: 8453 },
          { address: newest, agentId: second.id, balance_usdc: null, chain_id: 8453 },
        ],
        count: 2,
      },
    })
  })

  it('are visible only to the user', async () => {
    const { id: agentId } = await putAgent(accounts.table, ada.id)
    await create(ada, agentId)
    expect((await create(eve, agentId)).status).toBe(404)
    expect((await call('GET', `/api/wallet/address?agentId=${agentId}`, eve)).status).toBe(404)
    expect((await call('GET', '/api/wallet', eve)).body).toEqual({ wallets: [], count: 0 })
  })

  it('stay after their agent was deleted', async () => {
    const bob = await accounts.signUp('bob@b.co')
    const { id: agentId } = await putAgent(accounts.table, bob.id)
    const { address } = (await create(bob, agentId)).body
    await accounts.table.delete(agentKey({ userId: bob.id, agentId }))
    const { body } = await call('GET', '/api/wallet', bob)
    expect(body.wallets).toEqual([{ address, agentId, balance_usdc: null, chain_id: 8453 }])
  })

  it.each([undefined, '', 7, null])('are not created for the agent %j: 400', async (agentId) => {
    const { status, body } = await create(ada, agentId)
    expect([status, body.error]).toEqual([400, expect.stringContaining('agentId')])
  })

  it.each([
    ['GET', '/api/wallet'],
    ['GET', '/api/wallet/address'],
    ['POST', '/api/wallet/create'],
  ])('%s %s requires a session', async (method, path) => {
    const body = method === 'POST' ? { body: { agentId: 'agt_1' } } : {}
    for (const wrong of [{}, { session: 'guessed' }, { key: 'sk_guessed' }])
      expect((await call(method, path, { ...wrong, ...body })).status).toBe(401)
  })
})

describe.skipIf(noAnvil)(
  `their balances${noAnvil === undefined ? '' : ` (skipped: ${noAnvil})`}`,
  () => {
    let anvil: UsdcChain
    beforeAll(async () => {
      anvil = await startUsdcChain()
    })
    afterAll(() => anvil.close())

    it('balances are read from the chain, and unknown while it is unavailable', async () => {
      const person = await accounts.signUp('rich@b.co')
      const agents = await Promise.all(
        Array.from({ length: 10 }, () => putAgent(accounts.table, person.id)),
      )
      for (const { id } of agents) await create(person, id)
      const shown = async (chain: Partial<UsdcSettings>) => {
        const { session } = person
        const wallets = await platformOver(over(chain), { session }).wallets.list()
        return wallets.map(({ address, balance_usdc }) => [address, balance_usdc] as const)
      }
      const [[first] = [''], ...rest] = await shown({ EVM_RPC_URL: anvil.url })
      await anvil.mint(first, 2_500_000n)
      let requests = 0
      await using node = await startLyingNode(
        anvil.url,
        (_, result) => result,
        () => ++requests < 0,
      )
      const known = await shown({ EVM_RPC_URL: node.url })
      expect(known).toEqual([[first, 2.5], ...rest.map(([address]) => [address, 0])])
      // One request for the chain's id, and one for all wallets.
      expect(requests).toBe(2)
      for (const chain of [
        {},
        { EVM_RPC_URL: 'http://127.0.0.1:1' },
        { EVM_RPC_URL: anvil.url, EVM_CHAIN_ID: 1, USDC_ADDRESS: `0x${'1'.repeat(40)}` },
      ])
        expect((await shown(chain)).map(([, balance]) => balance)).toEqual(
          Array.from({ length: 10 }, () => null),
        )
    })
  },
)
