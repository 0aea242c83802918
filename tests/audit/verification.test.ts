import { concat, type Hex, pad, parseUnits, toHex } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { type Accounts, startAccounts } from '../support/accounts/accounts.ts'
import { actionsOf, addedBy, auditOf } from '../support/accounts/audit.ts'
import { newWallet } from '../support/accounts/new-wallet.ts'
import { compose, site, startWallets } from '../support/accounts/wallets.ts'
import { putAgent } from '../support/agents/agent-rows.ts'
import { noAnvil, startAnvil } from '../support/chains/anvil.ts'
import { place, transferCode } from '../support/chains/contracts.ts'
import { verificationCaller } from '../support/network/verification.ts'

let accounts: Accounts
let ada: { id: string; session: string }
let agent: Agent
let users = 0

beforeAll(async () => {
  accounts = await startAccounts()
})
afterAll(() => accounts.close())
beforeEach(async () => {
  ada = await accounts.signUp(`ada-${++users}@b.co`)
  agent = await putAgent(accounts.table, ada.id)
})

it('records who verified an agent, and removed verifications', async () => {
  const wallet = newWallet()
  const { call } = verificationCaller(accounts.table)
  const path = `/api/agents/${agent.id}/verify`
  const { session } = ada
  const signature = await wallet.signMessage(`Verify agent ${agent.id}`)
  const verify = (change: object) => () => {
    const proof = { verificationType: 'coinbase', walletAddress: wallet.address, signature }
    return call('POST', path, { session, body: { ...proof, ...change } })
  }
  const remove = () => call('DELETE', path, { session })
  const added = (act: () => Promise<unknown>) => actionsOf(accounts.table, ada.id, act)
  expect(await added(verify({ signature: '0x1234' }))).toEqual([])
  expect(await added(verify({}))).toEqual(['verification.changed'])
  expect(await added(remove)).toEqual(['verification.changed'])
  expect(await added(remove)).toEqual([])
})

it('records that a wallet created an account, once', async () => {
  const wallets = await startWallets()
  const signer = newWallet()
  const signIn = async () => {
    const nonce = await wallets.nonce()
    const message = compose({
      domain: new URL(site).host,
      uri: `${site}/login`,
      address: signer.address,
      nonce,
    })
    const signature = await signer.signMessage(message)
    return wallets.call('POST', '/api/wallet-auth', { address: signer.address, message, signature })
  }
  const { body } = await signIn()
  const { id } = body.user as { id: string }
  expect((await auditOf(wallets.table, id)).map(({ action }) => action)).toEqual([
    'account.created',
  ])
  expect(await actionsOf(wallets.table, id, signIn)).toEqual([])
  await wallets.close()
})

describe.skipIf(noAnvil)(`a clone${noAnvil === undefined ? '' : ` (skipped: ${noAnvil})`}`, () => {
  it('a payment is attributed to its provider if no session came with it', async () => {
    const token: Hex = pad('0x70', { size: 20 })
    const payTo: Hex = pad('0xca', { size: 20 })
    const anvil = await startAnvil(4217)
    onTestFinished(() => anvil.close())
    const [from] = (await anvil.request('eth_accounts')) as unknown as [Hex]
    await place(anvil, token, transferCode)
    await accounts.table.update(
      { pk: `user#${ada.id}`, sk: 'profile' },
      { set: { plan: 'network', subscription: { id: 's', status: 'active', customerId: null } } },
    )
    const { call } = verificationCaller(accounts.table, { tempo: { url: anvil.url, token, payTo } })
    const pay = (amount: string) =>
      anvil.send({ from, to: token, data: concat([pad(payTo), pad(toHex(parseUnits(amount, 6)))]) })
    const clone = (transactionHash: Hex, session?: string) => () => {
      const paymentProof = {
        transactionHash,
        amount: '1.0',
        currency: 'pathUSD',
        chainId: 4217,
        from,
        to: payTo,
        timestamp: 1_790_000_000,
      }
      const body = { parentAgentId: agent.id, name: 'Ada the second', paymentProof }
      return call('POST', '/api/agents/clone', { body, ...(session !== undefined && { session }) })
    }
    const enough = await pay('1.0')
    const entries = await addedBy(accounts.table, ada.id, clone(enough))
    expect(entries).toMatchObject([
      { action: 'clone.paid', actor: 'provider' },
      { action: 'wallet.created', actor: 'provider' },
    ])
    expect(await actionsOf(accounts.table, ada.id, clone(enough))).toEqual([])
    expect(await actionsOf(accounts.table, ada.id, clone(await pay('0.5')))).toEqual([])
    const own = await addedBy(accounts.table, ada.id, clone(await pay('1.0'), ada.session))
    expect(own).toMatchObject([
      { action: 'clone.paid', actor: `user:${ada.id}` },
      { action: 'wallet.created' },
    ])
  })
})
