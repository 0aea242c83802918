import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type FacilitatorClient,
  type HTTPResponseInstructions,
  x402HTTPResourceServer,
  x402ResourceServer,
} from '@x402/core/server'
import { ExactEvmScheme } from '@x402/evm/exact/server'
import type { Facilitator } from '../chains/facilitator.ts'
import { usdc } from '../chains/usdc-chain.ts'

/** The address that sellers of tests are paid at. */
export const sellerAddress = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

export type Seller = Awaited<ReturnType<typeof startSeller>>

/**
 * Starts a seller by x402's own packages: `/paid` costs 0.01 USDC, and every other path is free.
 * @returns the handler of a server
 */
export async function startSeller(facilitator: Facilitator) {
  const ask = async (verb: 'verify' | 'settle', paymentPayload: object, terms: object) => {
    const answer = await fetch(`${facilitator.url}/${verb}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ paymentPayload, paymentRequirements: terms }),
    })
    return answer.json() as Promise<never>
  }
  const client: FacilitatorClient = {
    verify: (payload, terms) => ask('verify', payload, terms),
    settle: (payload, terms) => ask('settle', payload, terms),
    getSupported: async () => ({
      kinds: [{ x402Version: 2, scheme: 'exact', network: 'eip155:8453' }],
      extensions: [],
      signers: {},
    }),
  }
  const resources = new x402ResourceServer(client).register('eip155:8453', new ExactEvmScheme())
  let price = 10_000n
  const http = new x402HTTPResourceServer(resources, {
    '/paid': {
      accepts: {
        scheme: 'exact',
        network: 'eip155:8453',
        payTo: sellerAddress,
        maxTimeoutSeconds: 60,
        price: () => ({
          asset: usdc,
          amount: String(price),
          extra: { name: 'USD Coin', version: '2' },
        }),
      },
    },
  })
  await http.initialize()
  const seller = {
    /** The payments that the seller received, as headers. */
    payments: [] as string[],
    /** The number of paid answers. */
    sold: 0,
    /** Micro-USDC. */
    set price(micro: bigint) {
      price = micro
    },
    async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
      const { pathname } = new URL(request.url ?? '/', 'https://seller.example')
      const header = (name: string) => {
        const value = request.headers[name.toLowerCase()]
        return typeof value === 'string' ? value : undefined
      }
      const payment = header('payment-signature')
      if (payment !== undefined) seller.payments.push(payment)
      const context = {
        adapter: {
          getHeader: header,
          getMethod: () => request.method ?? 'GET',
          getPath: () => pathname,
          getUrl: () => `https://${request.headers.host}${request.url}`,
          getAcceptHeader: () => header('accept') ?? '',
          getUserAgent: () => header('user-agent') ?? '',
        },
        path: pathname,
        method: request.method ?? 'GET',
      }
      const result = await http.processHTTPRequest(context)
      if (result.type === 'no-payment-required') return void response.end('free')
      if (result.type === 'payment-error') return answerBy(response, result.response)
      const { paymentPayload, paymentRequirements } = result
      const settled = await http.processSettlement(paymentPayload, paymentRequirements)
      if (!settled.success) return answerBy(response, settled.response)
      seller.sold++
      response.writeHead(200, settled.headers).end('the goods')
    },
  }
  return seller
}

function answerBy(
  response: ServerResponse,
  { status, headers, body }: HTTPResponseInstructions,
): void {
  response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body))
}
