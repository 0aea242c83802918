import type { PaymentRequired } from '@x402/core/types'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { costWrite, turnNameIn } from '#shared/ai/turns/cost.ts'
import { executeTurn } from '#shared/conversations/paid-gateway/turns/execute.ts'
import { turnRows } from '#shared/conversations/paid-gateway/turns/rows.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { newSeed } from '#shared/platform/ids.ts'
import { createLog } from '#shared/platform/log.ts'
import { type Accounts, startAccounts } from '#tests/support/accounts/accounts.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { itemsOf } from '#tests/support/ai/gateway.ts'
import { creditsOf } from '#tests/support/billing/credits.ts'
import { type Anvil, noAnvil, startAnvil } from '#tests/support/chains/anvil.ts'
import { type Facilitator, startFacilitator } from '#tests/support/chains/facilitator.ts'
import { encryptionKey } from '#tests/support/conversations/chat.ts'
import {
  balanceOf,
  newPayer,
  paidGateway,
  payTo,
  placeUsdc,
} from '#tests/support/x402/paid-gateway.ts'
import { say, sendJson, Upstream } from '../../../agent/gateway/testing/upstream.ts'

const price = 10_000n

describe.skipIf(noAnvil)(
  `an agent with paid access${noAnvil === undefined ? '' : ` (skipped: ${noAnvil})`}`,
  () => {
    let accounts: Accounts
    let anvil: Anvil
    let facilitator: Facilitator
    /** Stands in for the agent's container. */
    let container: Upstream
    let ada: { id: string; session: string }
    let agent: Agent
    let address: { host: string; port: number }

    beforeAll(async () => {
      ;[accounts, anvil, container] = await Promise.all([
        startAccounts(),
        startAnvil(8453),
        Upstream.start(),
      ])
      facilitator = await startFacilitator(anvil)
      await placeUsdc(anvil)
      ada = await accounts.signUp('ada@b.co')
      address = { host: '127.0.0.1', port: Number(new URL(container.baseUrl).port) }
    })
    afterAll(async () => {
      await container[Symbol.asyncDispose]()
      await Promise.all([accounts.close(), facilitator.close(), anvil.close()])
    })
    beforeEach(async () => {
      container.calls.length = 0
      container.reply = (response) => say(response, 'At your service.')
      await pays('active')
      agent = await putAgent(accounts.table, ada.id, { address, config: { paidGateway: true } })
    })

    const pays = (status: string) =>
      accounts.table.update(
        { pk: `user#${ada.id}`, sk: 'profile' },
        { set: { plan: 'solo', subscription: { id: 's', status, customerId: null } } },
      )

    async function call(body: object, headers: Record<string, string> = {}) {
      const settings = {
        AI_BASE_URL: 'http://127.0.0.1:1',
        X402_PAY_TO: payTo,
        X402_FACILITATOR_URL: facilitator.url,
      }
      const app = paidGateway({ table: accounts.table, settings })
      const answer = await app.request('/api/v1/gateway', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
    }

    const ask = () => ({ plugin: 'agent', agentId: agent.id, message: 'Hello there' })

    async function pay() {
      const payer = await newPayer(anvil)
      return payer.sign((await call(ask())).body as unknown as PaymentRequired)
    }

    it('draws no more of its owner’s credits than the answer earns', async () => {
      expect((await call(ask(), await pay())).status).toBe(200)
      const turns = await itemsOf(accounts.table, `user#${ada.id}`, 'turn#')
      expect(turns.at(-1)).toMatchObject({ mostDrawnMicroUsd: 9000 })
    })

    it('answers the payer outside of its owner’s conversation', async () => {
      const before = await balanceOf(anvil, payTo)
      const { status, body } = await call(ask(), await pay())
      expect([status, body]).toEqual([
        200,
        {
          plugin: 'agent',
          id: expect.stringMatching(/^msg_/),
          agentId: agent.id,
          reply: 'At your service.',
          model: null,
          usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
          timestamp: expect.any(String),
        },
      ])
      expect((await balanceOf(anvil, payTo)) - before).toBe(price)
      const turn = container.calls.find(({ path }) => path?.endsWith('/chat/completions'))
      expect(turn?.body).not.toHaveProperty('user')
      const rows = await itemsOf(accounts.table, `user#${ada.id}`, `message#${agent.id}#`)
      expect(rows.map(({ sender, platform, topic }) => [sender, platform, topic])).toEqual([
        ['user', 'gateway', 'paid gateway'],
        ['agent', 'gateway', 'paid gateway'],
      ])
    })

    it('earns its owner the price, less the platform’s tenth and the cost of this turn', async () => {
      const before = (await creditsOf(accounts.table, ada.id)).balance
      container.reply = async (response, { headers }) => {
        const name = turnNameIn(String(headers.tracestate)) ?? ''
        const turn = { userId: ada.id, agentId: agent.id, name }
        await accounts.table.transact([costWrite({ ...turn, microUsd: 2500 })])
        say(response, 'Done.')
      }
      expect((await call(ask(), await pay())).status).toBe(200)
      expect((await creditsOf(accounts.table, ada.id)).balance - before).toBe(6500)
    })

    it.each<[string, () => Promise<unknown>]>([
      ['is not for sale', () => putOther({ config: {} })],
      ['is no longer for sale', () => putOther({ config: { paidGateway: false } })],
      [
        'is for sale with another value than true',
        () => putOther({ config: { paidGateway: 'yes' } }),
      ],
      ['has an owner without a paid plan', () => pays('past_due')],
    ])('an agent that %s is not found', async (_, prepare) => {
      const paid = await pay()
      await prepare()
      for (const headers of [{}, paid])
        expect(await call(ask(), headers)).toEqual({
          status: 404,
          body: { error: 'Agent not found' },
        })
    })

    async function putOther(change: Partial<Agent>) {
      agent = await putAgent(accounts.table, ada.id, { address, ...change })
    }

    it('an agent that fails is free, and the payment is valid for another attempt', async () => {
      const paid = await pay()
      const before = await balanceOf(anvil, payTo)
      container.reply = (response) => sendJson(response, 500, { error: { message: 'no' } })
      const { status, body } = await call(ask(), paid)
      expect([status, body.code]).toEqual([502, 'AGENT_FAILED'])
      expect(await balanceOf(anvil, payTo)).toBe(before)
      container.reply = (response) => say(response, 'Better now.')
      expect((await call(ask(), paid)).body.reply).toBe('Better now.')
    })

    it('an agent that is stopped is free', async () => {
      const paid = await pay()
      agent = await putAgent(accounts.table, ada.id, {
        status: 'stopped',
        desired: 'stopped',
        config: { paidGateway: true },
      })
      expect((await call(ask(), paid)).status).toBe(502)
    })

    it('an agent is asked once under redelivery, and not after its time', async () => {
      const ctx = {
        table: accounts.table,
        config: loadConfig({}),
        queues: {
          send: () => Promise.reject(new Error('nothing was to be sent')),
          sendAll: () => Promise.reject(new Error('nothing was to be sent')),
        },
        log: createLog({}),
        encryptionKey,
        requestId: 'req_1',
        seed: newSeed(),
      }
      const asked = async (until: number) => {
        const turnId = newSeed()
        const turn = { agentId: agent.id, userId: ada.id, message: 'Hi', until }
        const row = turnRows.put({ turnId }, { ...turn, state: 'asked', expiresAt: 9_999_999_999 })
        await accounts.table.put(row)
        await Promise.all([1, 2].map(() => executeTurn(ctx, { turnId })))
        await executeTurn(ctx, { turnId })
        return container.calls.filter(({ path }) => path?.endsWith('/chat/completions')).length
      }
      expect(await asked(Date.now() - 1)).toBe(0)
      expect(await asked(Date.now() + 60_000)).toBe(1)
    })
  },
)
