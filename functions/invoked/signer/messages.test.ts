import { verifyMessage as verifiedBy } from 'ethers'
import { recoverMessageAddress } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { signedText } from '#shared/money/agent-message/signed-text.ts'
import { findWalletOf } from '#shared/money/wallets/find.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { testSigner } from '#tests/support/chains/signer.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'

let db: TestTable
let agent: Agent
const signer = () => testSigner(db.table)({ requestId: 'req_1', askedBy: 'user:usr_ada' })

beforeAll(async () => {
  db = await startTestTable()
})
afterAll(() => db.close())
beforeEach(async () => {
  agent = await putAgent(db.table, 'usr_ada')
})

const message = (from: { walletAddress?: string; agentId?: string } = {}) => ({
  messageId: 'msg-1',
  timestamp: '2026-11-20T10:00:00.000Z',
  from: { agentId: agent.id, ...from },
  to: { agentId: 'agt_other' },
  action: 'BOOKING_REQUEST',
  payload: { talentName: 'Åda', amount: '12.50', currency: 'USDC', nested: { b: 1, a: [true] } },
  metadata: { replyTo: 'msg-0' },
})

describe('a message', () => {
  it('is signed by its sender’s wallet, which is created on demand, over its canonical JSON', async () => {
    const { address, signature } = await signer().signMessage({
      agentId: agent.id,
      message: message(),
    })
    expect(await findWalletOf(db, { agentId: agent.id })).toMatchObject({ address })
    // Sorted keys, no white space, without metadata, and with the wallet's address.
    const text =
      `{"action":"BOOKING_REQUEST","from":{"agentId":"${agent.id}","walletAddress":"${address}"},` +
      '"messageId":"msg-1","payload":{"amount":"12.50","currency":"USDC","nested":{"a":[true],"b":1},' +
      '"talentName":"Åda"},"timestamp":"2026-11-20T10:00:00.000Z","to":{"agentId":"agt_other"}}'
    expect(await recoverMessageAddress({ message: text, signature })).toBe(address)
    // Verified by another library than the one that signed.
    expect(verifiedBy(text, signature)).toBe(address)
  })

  it('has the same signature each time, with its address in the given case', async () => {
    const { address } = await signer().createWallet({ agentId: agent.id })
    const asGiven = message({ walletAddress: address.toLowerCase() })
    const sign = () => signer().signMessage({ agentId: agent.id, message: asGiven })
    const { signature } = await sign()
    expect(verifiedBy(signedText(asGiven), signature)).toBe(address)
    expect(await sign()).toEqual({ address, signature })
  })

  it('is not signed for another’s address, or as another agent', async () => {
    const other = await putAgent(db.table, 'usr_eve')
    const { address } = await signer().createWallet({ agentId: other.id })
    for (const [from, field] of [
      [{ walletAddress: address }, 'from.walletAddress'],
      [{ walletAddress: 'no address' }, 'from.walletAddress'],
      [{ agentId: other.id }, 'from.agentId'],
    ] as const) {
      const refused = signer().signMessage({ agentId: agent.id, message: message(from) })
      await expect(refused).rejects.toMatchObject({
        kind: 'bad-request',
        message: expect.stringContaining(field),
      })
    }
  })

  it('a message of a missing agent is not signed', async () => {
    const gone = `agt_${'0'.repeat(26)}`
    const refused = signer().signMessage({ agentId: gone, message: message({ agentId: gone }) })
    await expect(refused).rejects.toMatchObject({ kind: 'not-found' })
  })
})
