import { isAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { agentKey } from '#shared/agents/record/agent.ts'
import { findWallet, findWalletOf } from '#shared/money/wallets/find.ts'
import { addressOf, newKey } from '#shared/network/signer/keys/curve.ts'
import { walletKeyRows } from '#shared/network/signer/keys/rows.ts'
import { plainSeals } from '#shared/network/signer/keys/seal.ts'
import { addedBy, auditOf } from '#tests/support/accounts/audit.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { testSigner, walletKey } from '#tests/support/chains/signer.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'

let db: TestTable
const origin = { requestId: 'req_1', askedBy: 'user:usr_ada' }
const signer = (key?: string) => testSigner(db.table, key)(origin)

beforeAll(async () => {
  db = await startTestTable()
})
afterAll(() => db.close())

describe('a wallet', () => {
  it('is created once for an agent, with its own key, and recorded in its owner’s audit', async () => {
    const agent = await putAgent(db.table, 'usr_ada')
    const act = () => signer().createWallet({ agentId: agent.id })
    const [entry] = await addedBy(db.table, 'usr_ada', act)
    const wallet = await findWalletOf(db, { agentId: agent.id })
    const { address = '' } = wallet ?? {}
    expect(isAddress(address)).toBe(true)
    expect(wallet).toMatchObject({ agentId: agent.id, userId: 'usr_ada' })
    expect(entry).toMatchObject({
      action: 'wallet.created',
      actor: 'user:usr_ada',
      target: address,
      requestId: 'req_1',
    })
    expect(await act()).toEqual({ address, created: false })
    expect(await findWallet(db, { address: address.toLowerCase() })).toEqual(wallet)
  })

  it('is created once under concurrent requests', async () => {
    const { id: agentId } = await putAgent(db.table, 'usr_eve')
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => signer().createWallet({ agentId })),
    )
    expect(new Set(answers.map(({ address }) => address)).size).toBe(1)
    expect(answers.filter(({ created }) => created)).toHaveLength(1)
    expect((await auditOf(db.table, 'usr_eve')).map(({ action }) => action)).toEqual([
      'wallet.created',
    ])
  })

  it('is created for the platform’s own agents too', async () => {
    const { id: agentId } = await putAgent(db.table, null)
    await signer().createWallet({ agentId })
    expect(await findWalletOf(db, { agentId })).toMatchObject({ agentId, userId: null })
  })

  it.each(['agt_nobody', `agt_${'0'.repeat(26)}`])(
    'is created for no agent %s',
    async (agentId) => {
      const refusal = { kind: 'not-found', message: 'Agent not found' }
      await expect(signer().createWallet({ agentId })).rejects.toMatchObject(refusal)
    },
  )

  it('is not created for an agent that is being deleted, and stays after the deletion', async () => {
    const { id: agentId, userId } = await putAgent(db.table, 'usr_bob')
    const { address } = await signer().createWallet({ agentId })
    const late = await putAgent(db.table, 'usr_bob', { deleting: true })
    const refused = signer().createWallet({ agentId: late.id })
    await expect(refused).rejects.toMatchObject({ kind: 'not-found' })
    await db.table.delete(agentKey({ userId, agentId }))
    expect(await findWalletOf(db, { agentId })).toMatchObject({ address })
  })

  it('is not created without a key to seal with: 503 that names the setting', async () => {
    const { id: agentId } = await putAgent(db.table, 'usr_ada')
    const unset = testSigner(db.table, '')(origin)
    await expect(unset.createWallet({ agentId })).rejects.toMatchObject({
      kind: 'unavailable',
      details: { missing: ['WALLET_ENCRYPTION_KEY'] },
    })
    expect(await findWalletOf(db, { agentId })).toBeUndefined()
  })
})

describe('its key', () => {
  it('is stored sealed, bound to this agent and address', async () => {
    const [one, other] = [await putAgent(db.table, 'usr_ada'), await putAgent(db.table, 'usr_ada')]
    const { address } = await signer().createWallet({ agentId: one.id })
    const row = await db.table.get(walletKeyRows.key({ agentId: one.id }))
    const { sealed } = walletKeyRows.parse(row!)
    const key = await plainSeals(walletKey).open(sealed, { agentId: one.id, address })
    expect(addressOf(key)).toBe(address)
    for (const place of [
      { agentId: other.id, address },
      { agentId: one.id, address: other.id },
    ])
      await expect(plainSeals(walletKey).open(sealed, place)).rejects.toThrow('was not sealed')
    const stranger = plainSeals(`${walletKey}.`).open(sealed, { agentId: one.id, address })
    await expect(stranger).rejects.toThrow('was not sealed')
  })

  it('signs nothing if it belongs to another wallet', async () => {
    const { id: agentId } = await putAgent(db.table, 'usr_ada')
    const { address } = await signer().createWallet({ agentId })
    const sealed = await plainSeals(walletKey).seal(newKey(), { agentId, address })
    const createdAt = new Date().toISOString()
    await db.table.put(walletKeyRows.put({ agentId }, { address, sealed, createdAt }))
    const message = {
      messageId: 'msg-1',
      timestamp: createdAt,
      from: { agentId },
      to: { agentId: 'agt_other' },
      action: 'PING',
      payload: {},
    }
    await expect(signer().signMessage({ agentId, message })).rejects.toThrow(
      'belongs to another address',
    )
  })
})
