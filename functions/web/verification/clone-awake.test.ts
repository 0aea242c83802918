import type { Hex } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { isAwake } from '#shared/agents/record/awake.ts'
import { listAgents } from '#shared/agents/record/list.ts'
import { plans } from '#shared/money/plans/plans.ts'
import { type Accounts, startAccounts } from '#tests/support/accounts/accounts.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { noAnvil } from '#tests/support/chains/anvil.ts'
import { verificationCaller } from '#tests/support/network/verification.ts'
import {
  order,
  payTo,
  proofOf,
  startCloneChain,
  token,
} from '#tests/support/x402/clone-payments.ts'

const places = plans.collective.awake

describe.skipIf(noAnvil)(
  `the awake places of an owner${noAnvil === undefined ? '' : ` (skipped: ${noAnvil})`}`,
  () => {
    let accounts: Accounts
    let chain: Awaited<ReturnType<typeof startCloneChain>>
    let caller: ReturnType<typeof verificationCaller>
    let ada: { id: string; session: string }
    let parent: Agent
    let users = 0

    beforeAll(async () => {
      ;[accounts, chain] = await Promise.all([startAccounts(), startCloneChain()])
      const tempo = { url: chain.anvil.url, token, payTo }
      caller = verificationCaller(accounts.table, { tempo, deployed: true })
    })
    afterAll(() => Promise.all([accounts.close(), chain.anvil.close()]))
    beforeEach(async () => {
      ada = await accounts.signUp(`ada-${++users}@b.co`)
      const subscription = { id: 's', status: 'active', customerId: null }
      await accounts.table.update(
        { pk: `user#${ada.id}`, sk: 'profile' },
        { set: { plan: 'collective', subscription } },
      )
      // It is asleep, so all awake places are free.
      parent = await putAgent(accounts.table, ada.id, { desired: 'stopped', status: 'stopped' })
    })

    async function clone(hash: Hex, session?: string) {
      const paymentProof = proofOf(hash, { from: chain.from })
      const body = { ...order(parent.id), paymentProof }
      return caller.call('POST', '/api/agents/clone', { body, ...(session && { session }) })
    }

    async function payments(number: number): Promise<Hex[]> {
      const hashes: Hex[] = []
      for (let n = 0; n < number; n++) hashes.push(await chain.pay())
      return hashes
    }

    const awake = async () =>
      (await listAgents(accounts, { userId: ada.id, consistent: true })).filter(isAwake).length

    it('free places are not all taken by clones that strangers pay for, even concurrently', async () => {
      const hashes = await payments(places + 1)
      const answers = await Promise.all(hashes.map((hash) => clone(hash)))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
      expect(await awake()).toBe(Math.ceil(places / 2))
    })

    it('free places are all available to the owner’s own clones', async () => {
      const answers = []
      for (const hash of await payments(places + 1)) answers.push(await clone(hash, ada.session))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
      expect(await awake()).toBe(places)
    })
  },
)
