import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bcryptPasswords } from '#shared/accounts/users/password.ts'
import { type Accounts, password, startAccounts } from '#tests/support/accounts/accounts.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { testSigner } from '#tests/support/chains/signer.ts'
import { callerOf } from '#tests/support/http/caller.ts'
import { newAddress, type SplitWorld, startSplits } from '#tests/support/network/splits.ts'
import * as group from '../withdrawals.ts'

let world: SplitWorld
let accounts: Accounts
let users = 0

beforeAll(async () => {
  world = await startSplits()
  accounts = await startAccounts({ table: world.table })
})
afterAll(() => Promise.all([world.close(), accounts.close()]))

/** Creates a user with an agent whose wallet has 10 USDC, and ETH for gas. */
async function newOwner() {
  const user = await accounts.signUp(`owner${++users}@b.co`)
  const { id: agentId } = await putAgent(world.table, user.id)
  const signer = testSigner(world.table)({ requestId: 'req_1', askedBy: 'public' })
  const { address } = await signer.createWallet({ agentId })
  await world.anvil.request('anvil_setBalance', address, '0xde0b6b3a7640000')
  await world.onToken('mint', [address, 10_000_000n])
  return { ...user, agentId, address }
}

async function ask(
  session: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<[number, Record<string, unknown>]> {
  const call = callerOf(group, {
    table: world.table,
    queues: world.queues,
    passwords: bcryptPasswords(4),
    lockouts: false,
    chain: { EVM_CHAIN_ID: 8453, EVM_RPC_URL: world.anvil.url },
  })
  const [method, path] = body === undefined ? ['GET', 'withdrawals'] : ['POST', 'withdraw']
  const answer = await call(method, `/api/wallet/${path}`, {
    session,
    headers,
    ...(body && { body }),
  })
  return [answer.status, (await answer.json()) as Record<string, unknown>]
}

it('a withdrawal pays an address once, however often it is requested', async () => {
  const { session, agentId } = await newOwner()
  const to = newAddress()
  const body = { agentId, to, amount: '2.5' }
  const headers = { 'idempotency-key': randomUUID() }
  const [status, made] = await ask(session, body, headers)
  expect([status, made]).toEqual([202, { id: expect.stringMatching(/^wdr_/), state: 'queued' }])
  expect((await ask(session, body, headers))[1]).toEqual(made)
  const list = async () => (await ask(session))[1]['withdrawals'] as Record<string, unknown>[]
  expect(await list()).toMatchObject([
    { id: made['id'], agentId, to, amount: '2.5', state: 'queued' },
  ])
  for (let i = 0; i < 10; i++) {
    await world.next()
    await world.anvil.request('anvil_mine', '0x1')
  }
  expect(await list()).toMatchObject([
    { state: 'completed', txHash: expect.stringMatching(/^0x/), reason: null },
  ])
  expect(await world.balance(to)).toBe(2_500_000n)
})

it('the list says why a wallet cannot pay', async () => {
  const { session, agentId } = await newOwner()
  await ask(session, { agentId, to: newAddress(), amount: '11' })
  for (let i = 0; i < 4; i++) await world.next()
  expect((await ask(session))[1]['withdrawals']).toMatchObject([
    { state: 'failed', reason: expect.stringContaining('needs 11') },
  ])
})

it('the password replaces a recent sign-in', async () => {
  const { id, session, agentId } = await newOwner()
  const pk = `user#${id}`
  const [row] = (await world.table.query({ pk, beginsWith: 'session#' })).items
  await world.table.update(
    { pk, sk: row?.sk ?? '' },
    { set: { createdAt: new Date(Date.now() - 16 * 60_000).toISOString() } },
  )
  const body = { agentId, to: newAddress(), amount: '1' }
  expect((await ask(session, body))[0]).toBe(403)
  expect((await ask(session, { ...body, currentPassword: 'wrong password' }))[0]).toBe(401)
  expect((await ask(session, { ...body, currentPassword: password }))[0]).toBe(202)
})

it('only the owner withdraws, and only to another address', async () => {
  const owner = await newOwner()
  const other = await newOwner()
  const body = { agentId: owner.agentId, to: newAddress(), amount: '1' }
  expect((await ask(other.session, body))[0]).toBe(404)
  for (const change of [
    { to: owner.address },
    { to: '0x0000000000000000000000000000000000000000' },
    { to: 'ada.eth' },
    { amount: '0' },
    { amount: '0.000' },
    { amount: '-1' },
    { amount: '0.0000001' },
    { amount: 1 },
  ])
    expect((await ask(owner.session, { ...body, ...change }))[0]).toBe(400)
  expect((await ask(other.session))[1]).toEqual({ withdrawals: [] })
})
