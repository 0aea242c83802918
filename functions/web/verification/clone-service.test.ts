import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Accounts, startAccounts } from '#tests/support/accounts/accounts.ts'
import { verificationCaller } from '#tests/support/network/verification.ts'
import { order, proofOf } from '#tests/support/x402/clone-payments.ts'

let accounts: Accounts

beforeAll(async () => {
  accounts = await startAccounts()
})
afterAll(() => accounts.close())

describe('the clone service', () => {
  it('returns its price, to anyone', async () => {
    const { call } = verificationCaller(accounts.table)
    expect((await call('GET', '/api/agents/clone')).body).toEqual({
      service: 'agent-clone',
      version: expect.any(String),
      protocol: 'x402-tempo',
      clonePrice: '1.0 pathUSD',
      chainId: 4217,
    })
  })

  it('is disabled until its chain and its address are set, and names what is missing', async () => {
    const { call } = verificationCaller(accounts.table)
    const body = { ...order('agt_1'), paymentProof: proofOf(`0x${'1'.repeat(64)}`) }
    const answer = await call('POST', '/api/agents/clone', { body })
    expect([answer.status, answer.body.missing]).toEqual([
      503,
      ['TEMPO_RPC_URL', 'PATHUSD_ADDRESS', 'CLONE_PAY_TO'],
    ])
  })
})
