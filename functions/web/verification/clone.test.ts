import { type Hex, pad } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { deleteAgent } from '#shared/agents/fleet/delete.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { findAgent } from '#shared/agents/record/find.ts'
import { writeNotes } from '#shared/agents/workspace/memory/write.ts'
import { installSkillFor } from '#shared/agents/workspace/skills/install.ts'
import { listInstalled } from '#shared/agents/workspace/skills/installed.ts'
import { type Accounts, startAccounts } from '#tests/support/accounts/accounts.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { itemsOf } from '#tests/support/ai/gateway.ts'
import { type Anvil, noAnvil } from '#tests/support/chains/anvil.ts'
import { place, transferCode } from '#tests/support/chains/contracts.ts'
import { verificationCaller } from '#tests/support/network/verification.ts'
import { before } from '#tests/support/platform/recorded-table.ts'
import {
  order,
  payer,
  payTo,
  proofOf,
  startCloneChain,
  token,
} from '#tests/support/x402/clone-payments.ts'

let accounts: Accounts

beforeAll(async () => {
  accounts = await startAccounts()
})
afterAll(() => accounts.close())

describe.skipIf(noAnvil)(
  `over a chain${noAnvil === undefined ? '' : ` (skipped: ${noAnvil})`}`,
  () => {
    let anvil: Anvil
    let from: Hex
    let pay: Awaited<ReturnType<typeof startCloneChain>>['pay']
    let ada: { id: string; session: string }
    let eve: { id: string; session: string }
    let parent: Agent
    let caller: ReturnType<typeof verificationCaller>
    let users = 0

    beforeAll(async () => {
      ;({ anvil, from, pay } = await startCloneChain())
      eve = await accounts.signUp('eve@b.co')
    })
    afterAll(() => anvil.close())
    beforeEach(async () => {
      ada = await accounts.signUp(`ada-${++users}@b.co`)
      await accounts.table.update(
        { pk: `user#${ada.id}`, sk: 'profile' },
        { set: { plan: 'solo', subscription: { id: 's', status: 'active', customerId: null } } },
      )
      parent = await putAgent(accounts.table, ada.id, {
        config: { systemPrompt: 'Be kind.', color: 'blue', telegramToken: 'a token of the parent' },
      })
      caller = callerOver(accounts.table)
    })

    const callerOver = (table: Accounts['table']) =>
      verificationCaller(table, { tempo: { url: anvil.url, token, payTo } })

    async function clone(
      transactionHash: Hex,
      change: object = {},
      options: { session?: string | null; over?: typeof caller } = {},
    ) {
      const paymentProof = proofOf(transactionHash, { from })
      const body = { ...order(parent.id), paymentProof, ...change }
      const { session = ada.session, over = caller } = options
      return over.call('POST', '/api/agents/clone', { body, ...(session && { session }) })
    }

    const setCount = (agentCount: number) =>
      accounts.table.update({ pk: `user#${ada.id}`, sk: 'profile' }, { set: { agentCount } })

    const agentsOf = (user = ada) => itemsOf(accounts.table, `user#${user.id}`, 'agent#')

    it('copies config, skills and memory, no secret, and starts', async () => {
      await writeNotes(accounts, { agent: parent, notes: { likes: 'tea', hates: 'noise' } })
      const installer = { id: ada.id, plan: 'solo', isAdmin: false }
      const [skill] = (await import('#shared/agents/workspace/skills/catalogue.ts')).catalogue
      const skillId = String(skill?.id)
      await installSkillFor(accounts, { installer, agentId: parent.id, skillId })
      const hash = await pay()
      const { status, body } = await clone(hash, { specialization: 'support', generation: 2 })
      expect(status).toBe(201)
      expect(body).toEqual({
        success: true,
        agentId: expect.stringMatching(/^agt_/),
        parentAgentId: parent.id,
        name: 'Ada the second',
        generation: 3,
        specialization: 'support',
        walletAddress: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
        transactionHash: hash,
      })
      const made = await findAgent(accounts, { agentId: String(body.agentId), owner: ada.id })
      expect(made).toMatchObject({
        status: 'provisioning',
        plan: parent.plan,
        config: {
          color: 'blue',
          systemPrompt: expect.stringMatching(/^Be kind\.\n\nYou specialise/),
        },
        lineage: { parentAgentId: parent.id, generation: 3, specialization: 'support' },
      })
      expect(JSON.stringify(made)).not.toContain('a token of the parent')
      expect(made?.secrets).toBeUndefined()
      const notes = await itemsOf(accounts.table, `user#${ada.id}`, `memory#${made?.id}#`)
      expect(notes.map(({ key, text }) => [key, text])).toEqual([
        ['hates', 'noise'],
        ['likes', 'tea'],
      ])
      expect(await listInstalled(accounts, { agent: made as Agent })).toMatchObject([
        { id: skill?.id },
      ])
      expect(caller.sent).toContainEqual(expect.objectContaining({ agentId: made?.id }))
    })

    it.each<[string, (hash: Hex) => Promise<[Hex, object?]>]>([
      ['not in a block', async () => [pad('0x99')]],
      ['too small', async () => [await pay({ amount: '0.999999' })]],
      ['smaller than claimed', async (hash) => [hash, { amount: '1.5' }]],
      ['to another recipient', async () => [await pay({ to: payer })]],
      ['claimed for another recipient', async (hash) => [hash, { to: payer }]],
      ['from another sender', async (hash) => [hash, { from: payer }]],
      [
        'in another token',
        async () => {
          const other = pad('0x71', { size: 20 })
          await place(anvil, other, transferCode)
          return [await pay({ contract: other })]
        },
      ],
      [
        'in a failed transaction',
        async () => {
          const broken = pad('0x72', { size: 20 })
          await place(anvil, broken, '0xfe')
          return [await anvil.send({ from, to: broken, gas: '0x30000' })]
        },
      ],
    ])('a clone is rejected for a payment that is %s', async (_, prepare) => {
      const [hash, change = {}] = await prepare(await pay())
      const paymentProof = proofOf(hash, { from, ...change })
      const { status, body } = await clone(hash, { paymentProof })
      expect(status).toBe(402)
      expect(body).toMatchObject({ code: 'PAYMENT_INVALID', reason: expect.any(String) })
      expect(await agentsOf()).toHaveLength(1)
    })

    it.each([
      ['amount', { amount: '0.99' }],
      ['amount', { amount: '1e3' }],
      ['currency', { currency: 'USDC' }],
      ['chainId', { chainId: 1 }],
      ['transactionHash', { transactionHash: '0x12' }],
      ['from', { from: 'ada' }],
      ['timestamp', { timestamp: 'now' }],
    ])('a clone is rejected for a proof with a wrong %s', async (field, change) => {
      const hash = await pay()
      const { status, body } = await clone(hash, {
        paymentProof: proofOf(hash, { from, ...change }),
      })
      expect([status, body.error]).toEqual([400, expect.stringContaining(field)])
      expect(await agentsOf()).toHaveLength(1)
    })

    it('accepts a payment once, under repeated and concurrent requests', async () => {
      const hash = await pay()
      const answers = await Promise.all([1, 2, 3].map((i) => clone(hash, { name: `Clone ${i}` })))
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409])
      expect(await agentsOf()).toHaveLength(2)
      const upper = hash.toUpperCase().replace('0X', '0x') as Hex
      const again = await clone(upper, { paymentProof: proofOf(upper, { from }) })
      expect([again.status, again.body.code]).toEqual([409, 'PAYMENT_USED'])
      expect(await agentsOf()).toHaveLength(2)
    })

    it('a clone that is killed in the middle continues with the same request', async () => {
      await writeNotes(accounts, { agent: parent, notes: { likes: 'tea' } })
      const hash = await pay()
      for (let requests = 0; ; requests++) {
        let left = requests
        const dying = before(accounts.table, (name) => {
          if (!['get', 'getMany', 'query'].includes(name) && left-- <= 0) throw new Error('killed')
        })
        const { status } = await clone(hash, {}, { over: callerOver(dying) })
        if (status === 201) break
        expect(status).toBe(500)
        expect(requests).toBeLessThan(20)
      }
      const agents = await agentsOf()
      expect(agents).toHaveLength(2)
      const made = agents.find(({ id }) => id !== parent.id)
      expect(await itemsOf(accounts.table, `user#${ada.id}`, `memory#${made?.id}#`)).toHaveLength(1)
      expect(await itemsOf(accounts.table, `user#${ada.id}`, 'agent-wallet#')).toHaveLength(1)
      expect((await clone(hash)).status).toBe(409)
    })

    it('uses only what its owner currently pays for', async () => {
      parent = await putAgent(accounts.table, ada.id, { plan: 'network' })
      const { body } = await clone(await pay())
      const made = await findAgent(accounts, { agentId: String(body.agentId), owner: ada.id })
      expect(made?.plan).toBe('solo')
      await accounts.table.update(
        { pk: `user#${ada.id}`, sk: 'profile' },
        { set: { subscription: { id: 's', status: 'canceled', customerId: null } } },
      )
      const later = await clone(await pay())
      const last = await findAgent(accounts, { agentId: String(later.body.agentId), owner: ada.id })
      expect(last?.plan).toBe('label')
    })

    it('counts against the owner’s agent limit, and a rejection does not consume the payment', async () => {
      await setCount(3)
      const hash = await pay()
      const { status, body } = await clone(hash)
      expect([status, body.code, body.limit]).toEqual([402, 'AGENT_LIMIT_REACHED', 3])
      await setCount(2)
      expect((await clone(hash)).status).toBe(201)
    })

    it('a clone under an idempotency key without a session belongs to its payer: another payer may use the same key', async () => {
      const [, second] = (await anvil.request('eth_accounts')) as unknown as [Hex, Hex]
      const headers = { 'idempotency-key': 'the same for both' }
      const ask = (hash: Hex, sender: Hex) => {
        const body = { ...order(parent.id), paymentProof: proofOf(hash, { from: sender }) }
        return caller.call('POST', '/api/agents/clone', { body, headers })
      }
      const [mine, theirs] = [await pay(), await pay({ sender: second })]
      const first = await ask(mine, from)
      const other = await ask(theirs, second)
      expect([first.status, other.status]).toEqual([201, 201])
      expect(other.body.agentId).not.toBe(first.body.agentId)
      expect(await ask(mine, from)).toEqual(first)
      expect((await ask(theirs, from)).body.code).toBe('IDEMPOTENCY_KEY_REUSED')
    })

    it('a clone of another user’s agent is treated as missing for a signed-in user', async () => {
      const { status } = await clone(await pay(), {}, { session: eve.session })
      expect(status).toBe(404)
      expect(await agentsOf(eve)).toEqual([])
    })

    it('a clone without a session belongs to the parent’s owner, whose last free place stays free', async () => {
      await setCount(1)
      const hashes = [await pay(), await pay()]
      const answers = await Promise.all(hashes.map((hash) => clone(hash, {}, { session: null })))
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 402])
      const refused = answers.findIndex(({ status }) => status === 402)
      const agentId = String(answers[1 - refused]?.body.agentId)
      expect(await findAgent(accounts, { agentId, owner: ada.id })).toBeDefined()
      // The figures are only for the owner.
      expect(answers[refused]?.body).not.toHaveProperty('limit')
      expect((await clone(hashes[refused]!)).status).toBe(201)
    })

    it('clones without a session use at most half of the owner’s free places', async () => {
      const set = { plan: 'collective', agentCount: 3 }
      await accounts.table.update({ pk: `user#${ada.id}`, sk: 'profile' }, { set })
      const hashes: Hex[] = []
      for (let n = 0; n < 7; n++) hashes.push(await pay())
      const byStranger = (hash: Hex) => clone(hash, {}, { session: null })
      const answers = await Promise.all(hashes.slice(0, 6).map(byStranger))
      const made = answers.filter(({ status }) => status === 201)
      const refused = answers.filter(({ status }) => status === 402)
      // Half of ten less three, rounded up.
      expect([made.length, refused.length]).toEqual([4, 2])
      // A clone of the owner's own takes one of the places that are left: then half is fewer.
      expect((await clone(hashes[6]!)).status).toBe(201)
      const unused = hashes[answers.findIndex(({ status }) => status === 402)]!
      expect((await byStranger(unused)).body.code).toBe('AGENT_LIMIT_REACHED')
      // A clone that the owner deletes gives its place back.
      const queues = { send: async () => {}, sendAll: async () => {} }
      const deleting = { table: accounts.table, queues }
      for (const { body } of made.slice(0, 2))
        await deleteAgent(deleting, { agentId: String(body.agentId), owner: ada.id })
      expect((await byStranger(unused)).status).toBe(201)
    })
  },
)
