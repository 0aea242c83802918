import type { PaymentPayload, PaymentRequired } from '@x402/core/types'
import { says, startUpstream, usage } from '../ai/upstream.ts'
import { startAnvil } from '../chains/anvil.ts'
import { startFacilitator } from '../chains/facilitator.ts'
import { startTestTable } from '../platform/table.ts'
import {
  balanceOf,
  type GatewayOptions,
  newPayer,
  paidGateway,
  type Payer,
  payTo,
  placeUsdc,
} from './paid-gateway.ts'

/** The default purchase of tests. */
export const ask = { plugin: 'generate-text', prompt: 'Say hello' }
/** The price of `ask`, in USDC's smallest unit. */
export const price = 10_000n

export type Shop = Awaited<ReturnType<typeof startShop>>

/** Starts the paid gateway over a table and a model provider of its own. */
export async function startShop() {
  const [database, models] = await Promise.all([startTestTable(), startUpstream()])
  const withModels = () => ({ AI_BASE_URL: models.baseUrl, AI_API_KEY: 'key' })

  function callerOf(options: Partial<GatewayOptions> = {}) {
    const app = paidGateway({ table: database.table, ...options })
    return async (body: unknown, headers: Record<string, string> = {}) => {
      const answer = await app.request('/api/v1/gateway', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
      const { status, headers: told } = answer
      return { status, headers: told, body: (await answer.json()) as Record<string, unknown> }
    }
  }

  return {
    table: database.table,
    models,
    callerOf,
    /** The settings of a gateway that takes no payments. */
    withModels,
    /** Returns the settings of a gateway that takes payments. */
    open: (facilitatorUrl: string) => ({
      ...withModels(),
      X402_PAY_TO: payTo,
      X402_FACILITATOR_URL: facilitatorUrl,
    }),
    /** Forgets all requests to the models. The sold model answers with a greeting. */
    reset() {
      models.reset()
      models.serve('openai/gpt-4o-mini', says('Hello!', usage(3, 2)))
    },
    close: () => Promise.all([database.close(), models.close()]),
  }
}

export type Sales = Awaited<ReturnType<typeof startSales>>

/** Starts a shop whose payments are settled on a chain of its own, and a payer with funds. */
export async function startSales() {
  const [shop, anvil] = await Promise.all([startShop(), startAnvil(8453)])
  const facilitator = await startFacilitator(anvil)
  await placeUsdc(anvil)
  const settings = shop.open(facilitator.url)
  const call = shop.callerOf({ settings })
  let payer: Payer
  let earned = 0n
  let nonce = ''

  const due = async () => (await call(ask)).body as unknown as PaymentRequired
  return {
    ...shop,
    anvil,
    facilitator,
    settings,
    call,
    /** Returns the payment requirements of a request without a payment. */
    due,
    /** Returns the header with a payment for `ask`. */
    pay: async (change: (payload: PaymentPayload) => void = () => {}) =>
      payer.sign(await due(), (payload) => {
        nonce = signedFor(payload).nonce ?? ''
        change(payload)
      }),
    payer: () => payer,
    /** Replaces the payer with a new one. */
    async payBy(funds?: bigint): Promise<void> {
      payer = await newPayer(anvil, funds)
    },
    /** Returns the payer and nonce of the last payment. */
    lastPayment: () => ({ payer: payer.address, nonce }),
    /** Returns the platform's income since the last `reset` or `countAnew`. */
    income: async () => (await balanceOf(anvil, payTo)) - earned,
    async countAnew(): Promise<void> {
      earned = await balanceOf(anvil, payTo)
    },
    async reset(): Promise<void> {
      shop.reset()
      payer = await newPayer(anvil)
      earned = await balanceOf(anvil, payTo)
      facilitator.asked.length = 0
    },
    close: () => Promise.all([facilitator.close(), anvil.close(), shop.close()]),
  }
}

/** Returns the fields that a payment's signature covers. */
export function signedFor({ payload }: PaymentPayload): Record<string, string> {
  return payload.authorization as Record<string, string>
}
