import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { x402Facilitator } from '@x402/core/facilitator'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import { createWalletClient, type Hex, http, publicActions } from 'viem'
import { base } from 'viem/chains'
import type { Anvil } from './anvil.ts'

type Verb = 'verify' | 'settle'

/**
 * A fault for one call, in place of a normal response. `lost`: the call is carried out, and its response breaks off.
 */
export type FacilitatorFault = 'lost' | 'hangs up' | { status: number; body: unknown }

export interface Facilitator {
  url: string
  /** The calls so far, in order. */
  asked: Verb[]
  /** Sets a fault for the next call of that kind. */
  meets(verb: Verb, trouble: FacilitatorFault): void
  /** Holds the next call of that kind. Resolves with a function that releases it. */
  holds(verb: Verb): Promise<() => void>
  close(): Promise<void>
}

/** Starts x402's own facilitator for scheme exact behind a server, over a chain of the test. */
export async function startFacilitator(anvil: Anvil): Promise<Facilitator> {
  const [, account] = (await anvil.request('eth_accounts')) as unknown as [Hex, Hex]
  const wallet = { account, chain: base, transport: http(anvil.url), pollingInterval: 50 }
  const client = createWalletClient(wallet).extend(publicActions)
  const signer = toFacilitatorEvmSigner({
    address: account,
    // The facilitator's types are wider than viem's.
    readContract: (args) => client.readContract(args as never),
    verifyTypedData: (args) => client.verifyTypedData(args as never),
    writeContract: (args) => client.writeContract(args as never),
    sendTransaction: (args) => client.sendTransaction(args),
    waitForTransactionReceipt: (args) => client.waitForTransactionReceipt(args),
    getCode: (args) => client.getCode(args),
  })
  const facilitator = new x402Facilitator().register('eip155:8453', new ExactEvmScheme(signer))
  const troubles = new Map<Verb, FacilitatorFault>()
  const holds = new Map<Verb, (release: () => void) => void>()
  const asked: Verb[] = []

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const verb = request.url === '/verify' ? 'verify' : 'settle'
    asked.push(verb)
    const { paymentPayload, paymentRequirements } = JSON.parse(await read(request)) as {
      paymentPayload: PaymentPayload
      paymentRequirements: PaymentRequirements
    }
    const trouble = troubles.get(verb)
    troubles.delete(verb)
    const hold = holds.get(verb)
    holds.delete(verb)
    if (hold !== undefined) await new Promise<void>(hold)
    if (trouble === 'hangs up') return void response.destroy()
    if (typeof trouble === 'object') return send(response, trouble.status, trouble.body)
    const result = await facilitator[verb](paymentPayload, paymentRequirements)
    if (trouble === 'lost') return void response.destroy()
    send(response, 200, result)
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) =>
      send(response, 500, { error: String(error) }),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    meets: (verb, trouble) => void troubles.set(verb, trouble),
    holds: (verb) => new Promise((reached) => void holds.set(verb, reached)),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function read(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return text
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
