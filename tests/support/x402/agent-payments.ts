import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import * as backend from '#functions/backend/pay.ts'
import * as web from '#functions/web/splits.ts'
import { bcryptPasswords } from '#shared/accounts/users/password.ts'
import { agentKeyIdentity } from '#shared/agents/record/ai-key.ts'
import { createApp } from '#shared/http/app.ts'
import type { PayContext } from '#shared/network/agent-payments/context.ts'
import type { AgentPaymentSigner } from '#shared/network/agent-payments/signing/port.ts'
import { tickAgentPayments } from '#shared/network/agent-payments/tick.ts'
import type { PaymentCheck } from '#shared/network/agent-payments/topic.ts'
import { checkPayment } from '#shared/network/agent-payments/work/check.ts'
import type { Signer } from '#shared/network/signer/port.ts'
import { mandateKey } from '#shared/permits/mandates/mandate.ts'
import type { Resolve } from '#shared/platform/http-client/guarded.ts'
import { createLog } from '#shared/platform/log.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { type Keys, startKeys } from '../accounts/keys.ts'
import { type Facilitator, startFacilitator } from '../chains/facilitator.ts'
import { testSigner } from '../chains/signer.ts'
import { startUsdcChain, usdc, type UsdcChain } from '../chains/usdc-chain.ts'
import { callerOf, type UserCall } from '../http/caller.ts'
import { startTlsServer } from '../http/tls-server.ts'
import { noQueues } from '../platform/message-queue.ts'
import { agentWithKey, trust } from '../tools/broker.ts'
import { type Seller, startSeller } from './seller.ts'

/** Replaces parts of a process for one request. */
interface PayOverrides {
  table?: Table
  queues?: PayContext['queues']
  signer?: AgentPaymentSigner
  capUsd?: number
  resolve?: Resolve
  allowed?: readonly string[]
  rpcUrl?: string
  idleMs?: number
}

interface PayOptions {
  over?: PayOverrides
  /** The key of another agent. */
  key?: string
}

/** An agent with its owner and its wallet. */
type Buyer = Awaited<ReturnType<typeof agentWithKey>> & {
  wallet: string
  user: { id: string; session: string }
}

const mandate = { perPaymentUsd: '1', perDayUsd: '5', perMonthUsd: '50' }

/** Provides a chain, a facilitator and a seller for a file of tests, and an agent with money for each test. */
export function usePayScene() {
  let users = 0
  let server: Awaited<ReturnType<typeof startTlsServer>>
  let facilitator: Facilitator
  const scene = {
    accounts: undefined as unknown as Keys,
    chain: undefined as unknown as UsdcChain,
    get facilitator(): Facilitator {
      return facilitator
    },
    seller: undefined as unknown as Seller,
    /** Host and port of the seller. */
    host: '',
    agent: undefined as unknown as Buyer,
    sent: [] as PaymentCheck[],
    /** Milliseconds that the platform's clock is ahead. */
    ahead: 0,
    /** The requests that the host received. */
    seen: [] as IncomingMessage[],
    answer: (request: IncomingMessage, response: ServerResponse): unknown =>
      scene.seller.serve(request, response),
    signer: undefined as unknown as AgentPaymentSigner & Signer,
    queues: {
      send: async ({ queue }: { queue: string }, message: unknown) => {
        if (queue === 'agent-payments') scene.sent.push(message as PaymentCheck)
      },
      sendAll: async (_topic: unknown, messages: readonly unknown[]) => {
        scene.sent.push(...(messages as PaymentCheck[]))
      },
    } as PayContext['queues'],
    clock: (): number => Date.now() + scene.ahead,

    /** Sends a request of the agent: `/<host>/<path>`. */
    async pay(
      path: string,
      { over = {}, key, ...init }: RequestInit & PayOptions = {},
    ): Promise<Response> {
      const headers = new Headers(init.headers)
      headers.set('authorization', `Bearer ${key ?? scene.agent.key}`)
      const answer = await appOver(over).request(`/pay${path}`, { ...init, headers })
      answers.push(answer)
      return answer
    },
    buy: (init?: RequestInit & PayOptions): Promise<Response> =>
      scene.pay(`/${scene.host}/paid`, init),

    /** Creates a user with an agent that has 100 USDC in its wallet. */
    async newAgent(): Promise<Buyer> {
      const user = await scene.accounts.signUp(`ada${users++}@b.co`)
      const agent = await agentWithKey(scene.accounts.table, user.id)
      const { address: wallet } = await scene.signer.createWallet({ agentId: agent.agentId })
      await scene.chain.mint(wallet, 100_000_000n)
      return { ...agent, wallet, user }
    },

    /** Sends a request of the owner. */
    async call(
      method: string,
      path: string,
      { agent: given, ...options }: UserCall & { agent?: Buyer } = {},
    ): Promise<{ status: number; body: Record<string, unknown> }> {
      const agent = given ?? scene.agent
      const answer = await callerOf(web, {
        table: scene.accounts.table,
        queues: noQueues,
        passwords: bcryptPasswords(4),
        lockouts: false,
        signer: scene.signer,
        chain: { EVM_CHAIN_ID: 8453, EVM_RPC_URL: scene.chain.url },
      })(method, `/api/agents/${agent.agentId}${path}`, {
        ...(options.key === undefined && { session: agent.user.session }),
        ...options,
      })
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
    },
    async allow(change: object = {}, agent?: Buyer): Promise<void> {
      const { status, body } = await scene.call('PUT', '/mandate', {
        body: { ...mandate, ...change },
        ...(agent && { agent }),
      })
      if (status !== 200) throw new Error(JSON.stringify(body))
    },
    async payments(query = ''): Promise<Record<string, unknown>[]> {
      const { body } = await scene.call('GET', `/payments${query}`)
      return body['payments'] as Record<string, unknown>[]
    },

    /** Delivers the messages of checks, and the ones that they send without a delay. */
    async check(over: PayOverrides = {}): Promise<void> {
      for (const message of scene.sent.splice(0)) await deliver(message, over)
    },
    /** Lets time pass on the platform and on the chain, and checks what is due. */
    async pass(seconds: number): Promise<void> {
      scene.ahead += seconds * 1000
      await scene.mineNow()
      await scene.tick()
    },
    /** Moves the chain to the platform's time, with final blocks. */
    async mineNow(): Promise<void> {
      await scene.chain.request('evm_setNextBlockTimestamp', Math.floor(scene.clock() / 1000))
      await scene.chain.request('anvil_mine', '0x3')
    },
    async tick(): Promise<void> {
      scene.sent.length = 0
      await tickAgentPayments({
        table: scene.accounts.table,
        queues: scene.queues,
        clock: scene.clock,
      })
      await scene.check()
    },
    /** The part of the mandate that is used, in micro-USD. */
    async used(agentId?: string): Promise<number> {
      const month = new Date(scene.clock()).toISOString().slice(0, 7)
      const row = await scene.accounts.table.get({
        pk: `payer#${agentId ?? scene.agent.agentId}`,
        sk: `mandate-use#${month}`,
      })
      return Number(row?.['total'] ?? 0)
    },
  }
  const { answer } = scene
  /** A response that is not read would keep its slot. */
  const answers: Response[] = []
  afterEach(async () => {
    for (const { body } of answers.splice(0)) if (body?.locked === false) await body.cancel()
  })

  async function deliver(message: PaymentCheck, over: PayOverrides): Promise<void> {
    await checkPayment(
      {
        table: over.table ?? scene.accounts.table,
        queues: over.queues ?? scene.queues,
        log: createLog({ function: 'agent-payments' }),
        clock: scene.clock,
        chain: {
          rpc: { url: over.rpcUrl ?? scene.chain.url, setting: 'EVM_RPC_URL' },
          chainId: 8453,
          token: usdc,
        },
        finality: 'finalized',
      },
      message,
    )
  }

  function appOver(over: PayOverrides) {
    const { rpcUrl = scene.chain.url, ...rest } = over
    const table = over.table ?? scene.accounts.table
    return createApp({
      surface: 'backend',
      name: 'backend-pay',
      routes: backend.routes,
      services: {
        table,
        queues: scene.queues,
        signer: scene.signer,
        chain: { EVM_CHAIN_ID: 8453, EVM_RPC_URL: rpcUrl },
        capUsd: undefined,
        allowed: [scene.host],
        clock: scene.clock,
        ...rest,
      },
      settings: { RATE_LIMITS: 'off' },
      identity: { agentKey: agentKeyIdentity(table, mandateKey) },
      table,
    })
  }

  beforeAll(async () => {
    scene.accounts = await startKeys()
    // A block becomes final two blocks later.
    scene.chain = await startUsdcChain(8453, '--slots-in-an-epoch', '1')
    facilitator = await startFacilitator(scene.chain)
    scene.seller = await startSeller(facilitator)
    server = await startTlsServer((request, response) => {
      scene.seen.push(request)
      scene.answer(request, response)
    })
    trust(server.cert)
    scene.host = `localhost:${server.port}`
    scene.signer = testSigner(scene.accounts.table)({ requestId: 'req_1', askedBy: 'public' })
  })
  afterAll(async () => {
    await server.close()
    await facilitator.close()
    await scene.chain.close()
    await scene.accounts.close()
  })
  beforeEach(async () => {
    Object.assign(scene, { seen: [], answer, sent: [] })
    Object.assign(scene.seller, { payments: [], sold: 0, price: 10_000n })
    scene.agent = await scene.newAgent()
  })
  return scene
}
