import type { PaymentPayload, PaymentRequired } from '@x402/core/types'
import { startAnvil } from './anvil.ts'
import { startFacilitator } from './facilitator.ts'
import {
  balanceOf,
  type GatewayOptions,
  newPayer,
  paidGateway,
  type Payer,
  payTo,
  placeUsdc,
} from './paid-gateway.ts'
import { startTestTable } from './table.ts'
import { says, startUpstream, usage } from './upstream.ts'

/** What is bought where a test says nothing else. */
export const ask = { plugin: 'generate-text', prompt: 'Say hello' }
/** What it costs, in USDC's smallest unit. */
export const price = 10_000n

export type Shop = Awaited<ReturnType<typeof startShop>>

/** The paid gateway over a table and a model provider of its own. */
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
    /** The settings of one that takes them. */
    open: (facilitatorUrl: string) => ({
      ...withModels(),
      X402_PAY_TO: payTo,
      X402_FACILITATOR_URL: facilitatorUrl,
    }),
    /** Forgets what was asked of the models; the one that is sold says hello. */
    reset() {
      models.reset()
      models.serve('openai/gpt-4o-mini', says('Hello!', usage(3, 2)))
    },
    close: () => Promise.all([database.close(), models.close()]),
  }
}

export type Sales = Awaited<ReturnType<typeof startSales>>

/** A shop whose payments are settled on a chain of its own, and a payer with money there. */
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
    /** What a request without a payment is told to pay. */
    due,
    /** The header that pays for it. */
    pay: async (change: (payload: PaymentPayload) => void = () => {}) =>
      payer.sign(await due(), (payload) => {
        nonce = signedFor(payload).nonce ?? ''
        change(payload)
      }),
    /** Who pays. */
    payer: () => payer,
    /** From now on a newcomer pays. */
    async payBy(funds?: bigint): Promise<void> {
      payer = await newPayer(anvil, funds)
    },
    /** What the payment that was made last is known by. */
    lastPayment: () => ({ payer: payer.address, nonce }),
    /** What the platform has been paid since the last reset, or the last `countAnew`. */
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

/** What a payment's signature is for. */
export function signedFor({ payload }: PaymentPayload): Record<string, string> {
  return payload.authorization as Record<string, string>
}
