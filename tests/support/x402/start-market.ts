import type { IncomingMessage, ServerResponse } from 'node:http'
import { startFacilitator } from '../chains/facilitator.ts'
import { mintCall, startUsdcChain, usdc } from '../chains/usdc-chain.ts'
import { startTlsServer } from '../http/tls-server.ts'
import { startSeller } from './seller.ts'

export type Market = Awaited<ReturnType<typeof startMarket>>

/**
 * Starts a chain, a facilitator and a seller by x402 on this machine, for a platform that pays there. A block becomes
 * final two blocks later.
 * @param answer answers a request in place of the seller if it returns true
 * @param chainOptions further arguments for anvil
 */
export async function startMarket(
  answer: (request: IncomingMessage, response: ServerResponse) => boolean = () => false,
  ...chainOptions: string[]
) {
  const chain = await startUsdcChain(8453, '--slots-in-an-epoch', '1', ...chainOptions)
  const facilitator = await startFacilitator(chain)
  const seller = await startSeller(facilitator)
  const server = await startTlsServer((request, response) => {
    if (answer(request, response)) return
    seller
      .serve(request, response)
      .catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  const host = `localhost:${server.port}`
  return {
    chain,
    facilitator,
    seller,
    /** Host and port of the seller. */
    host,
    /** The settings of a platform that pays on this chain. */
    settings: {
      EVM_RPC_URL: chain.url,
      FETCH_ALLOW_HOSTS: host,
      NODE_EXTRA_CA_CERTS: server.certFile,
    },
    /** Gives an address 100 USDC and 1 ETH. */
    async fund(address: string): Promise<void> {
      await chain.request('anvil_setBalance', address, '0xde0b6b3a7640000')
      const [from] = await chain.request('eth_accounts')
      const data = mintCall(address, 100_000_000n)
      await chain.request('eth_sendTransaction', { from, to: usdc, data })
      await chain.request('evm_mine')
    },
    async close(): Promise<void> {
      await server.close()
      await facilitator.close()
      await chain.close()
    },
  }
}
