import { encodePaymentSignatureHeader } from '@x402/core/http'
import type { PaymentRequired } from '@x402/core/types'
import { newUser, profileKey } from '#shared/accounts/users/user.ts'
import { costWrite, type NamedTurn } from '#shared/ai/turns/cost.ts'
import { beginWrite } from '#shared/ai/turns/turn.ts'
import { claimRows } from '#shared/billing/payments/claims/rows.ts'
import { saleRows } from '#shared/conversations/paid-gateway/sales/rows.ts'
import { tickSales } from '#shared/conversations/paid-gateway/sales/tick.ts'
import { turnRows as paidTurnRows } from '#shared/conversations/paid-gateway/turns/rows.ts'
import { paidTurns, type TurnRef } from '#shared/conversations/paid-gateway/turns/topic.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { newSeed } from '#shared/platform/ids.ts'
import { createLog } from '#shared/platform/log.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import { openRows } from '#shared/platform/slots/rows.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { putAgent } from '../agents/agent-rows.ts'
import { startTestTable } from '../platform/table.ts'
import { paidGateway, payTo, usdc } from './paid-gateway.ts'
import { startPlayedFacilitator } from './played-facilitator.ts'

/** The cost of an answer's tokens, and the part that its owner paid separately, in millionths of a US dollar. */
export interface Tokens {
  microUsd: number
  paidMicroUsd?: number
  /** Called with the turn in place of recording the cost. */
  later?: (turn: NamedTurn) => Promise<void>
}

/** Answers like the job that calls agents. The turn's row then contains the agent's `tokensOf`. */
export function playedAgents(
  table: Table,
  tokensOf: (agentId: string) => Tokens | undefined = () => undefined,
): Queues<'paid-turns'> {
  return {
    async send(topic, message) {
      if (topic !== paidTurns) throw new Error(`nothing is sent to ${topic.queue}`)
      const { turnId } = message as TurnRef
      const key = paidTurnRows.key({ turnId })
      const item = await table.get(key)
      if (item === undefined) throw new Error('no turn')
      const { userId, agentId, message: said } = paidTurnRows.parse(item)
      const name = newSeed().toLowerCase()
      const tokens = tokensOf(agentId) ?? { microUsd: 0 }
      const begun = { id: `msg_${name}`, agentId, kind: 'turn', by: null } as const
      await table.transact([beginWrite(userStore(table, userId), begun)])
      const turn = { userId, agentId, name }
      if (tokens.later) await tokens.later(turn)
      else await table.transact([costWrite({ ...turn, ...tokens })])
      const timestamp = new Date().toISOString()
      const reply = { id: `msg_${name}`, agentId, message: said, reply: `Answer ${name}` }
      const answer = { ...reply, model: null, usage: null, timestamp }
      await table.update(key, { set: { state: 'answered', turn: name, answer } })
    },
    sendAll: () => Promise.reject(new Error('nothing was to be sent')),
  }
}

export type SoldAgents = Awaited<ReturnType<typeof startSoldAgents>>

/** Owners with one agent each that anyone may pay for, over a table and a played facilitator. */
export async function startSoldAgents() {
  const [database, facilitator] = await Promise.all([startTestTable(), startPlayedFacilitator()])
  const { table } = database
  const costs = new Map<string, Tokens>()
  let count = 0

  const queues = playedAgents(table, (agentId) => costs.get(agentId))

  const settingsOf = (more: Record<string, string>) => ({
    AI_BASE_URL: 'http://127.0.0.1:1',
    X402_PAY_TO: payTo,
    X402_FACILITATOR_URL: facilitator.url,
    EVM_RPC_URL: facilitator.nodeUrl,
    ...more,
  })

  return {
    table,
    facilitator,
    /** Someone with an open plan and a sold agent. @param tokens what each answer of it costs */
    async owner(tokens: Tokens = { microUsd: 0 }) {
      const id = `usr_seller${count++}`
      const user = newUser({ id, email: `${id}@b.co`, name: id, referralCode: id })
      const subscription = { id: 's', status: 'active', customerId: null } as const
      await table.put({
        pk: userPartition(id),
        sk: profileKey,
        ...user,
        plan: 'solo',
        subscription,
      })
      const agent = await putAgent(table, id, { config: { paidGateway: true } })
      costs.set(agent.id, tokens)
      return { id, agentId: agent.id }
    },
    /** Asks an agent, with a payment if one is given. */
    async ask(
      agentId: string,
      nonce?: string,
      {
        over = table,
        settings = {},
        signal = null,
      }: { over?: Table; settings?: Record<string, string>; signal?: AbortSignal | null } = {},
    ) {
      const app = paidGateway({ table: over, queues, settings: settingsOf(settings) })
      const post = (headers: Record<string, string>) =>
        app.request('/api/v1/gateway', {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify({ plugin: 'agent', agentId, message: 'Hello' }),
          signal,
        })
      const shown = nonce === undefined ? undefined : signed(nonce, settings.X402_PRICE_USD)
      const answer = await post(shown === undefined ? {} : { 'payment-signature': shown })
      const { status, headers } = answer
      const body = (await answer.json()) as Partial<
        PaymentRequired & { reply: string; code: string }
      >
      return { status, headers, body }
    },
    /** One tick, by default when every sale is due and no payment is over. */
    tick: (over: Table = table, inSeconds = 120, settings: Record<string, string> = {}) =>
      tickSales(
        { table: over, log: createLog(), config: loadConfig(settingsOf(settings)) },
        Date.now() + inSeconds * 1000,
      ),
    /** Ends the leases of a payment, as if every process that had one had ended. */
    async timeIsOver(nonce: string) {
      const key = claimRows.key({ payment: paymentOf(nonce) })
      const held = { set: { heldUntil: 0 }, if: 'attribute_exists(pk)' }
      await table.update(key, held).catch(() => undefined)
      await freePayer(table, payerWith(nonce))
    },
    /** The sales of an owner. */
    async sales(userId: string) {
      const prefix = saleRows.prefix()
      const rows = await allItems((from) =>
        userStore(table, userId).query({ beginsWith: prefix, ...from }),
      )
      return rows.map((row) => Object.assign(saleRows.parse(row), { isDue: 'gsi1pk' in row }))
    },
    close: () => Promise.all([facilitator.close(), database.close()]),
  }
}

/** Each payment has a payer of its own. */
function payerWith(nonce: string): string {
  return nonce.slice(0, 42)
}

/** Removes the slots of a payer, as if the processes of its attempts had ended and the slots had expired. */
export async function freePayer(table: Table, payer: string): Promise<void> {
  const holder = ['eip155:8453', usdc, payer].join('#').toLowerCase()
  await table.delete(openRows.key({ kind: 'paid-answer-of-payer', holder }))
}

function paymentOf(nonce: string): string {
  return ['eip155:8453', usdc, payerWith(nonce), nonce].join('#').toLowerCase()
}

/** A new nonce, which names a payment. */
export function newNonce(): string {
  return `0x${crypto.randomUUID().replaceAll('-', '').repeat(2)}`
}

/** A payment that the simulated facilitator accepts: it checks no signature. */
function signed(nonce: string, priceUsd = '0.01'): string {
  const amount = String(Math.round(Number(priceUsd) * 1_000_000))
  const validBefore = String(Math.floor(Date.now() / 1000) + 300)
  const times = { validAfter: '0', validBefore }
  const accepted = { scheme: 'exact', network: 'eip155:8453', asset: usdc, amount, payTo } as const
  return encodePaymentSignatureHeader({
    x402Version: 2,
    accepted: { ...accepted, maxTimeoutSeconds: 300, extra: {} },
    payload: {
      signature: `0x${'1'.repeat(128)}1b`,
      authorization: { from: payerWith(nonce), to: payTo, value: amount, ...times, nonce },
    },
  })
}
