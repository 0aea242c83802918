/**
 * `node tests/support/x402/market.ts`: a chain, a facilitator and a seller by x402 on this machine, to try payments of
 * agents without money. Prints the settings for `npm run dev`, and runs until it is stopped.
 */
import { startFacilitator } from '../chains/facilitator.ts'
import { mintCall, startUsdcChain, usdc } from '../chains/usdc-chain.ts'
import { startTlsServer } from '../http/tls-server.ts'
import { startSeller } from './seller.ts'

const chain = await startUsdcChain(8453, '--slots-in-an-epoch', '1', '--block-time', '2')
const seller = await startSeller(await startFacilitator(chain))
const { port, certFile } = await startTlsServer((request, response) => {
  const [, address] = /^\/faucet\/(0x[0-9a-fA-F]{40})$/.exec(request.url ?? '') ?? []
  const answer =
    address === undefined
      ? seller.serve(request, response)
      : fund(address).then(() => response.end('100 USDC and 1 ETH\n'))
  answer.catch((error: unknown) => response.writeHead(500).end(String(error)))
})

async function fund(address: string): Promise<void> {
  await chain.request('anvil_setBalance', address, '0xde0b6b3a7640000')
  const [from] = await chain.request('eth_accounts')
  const data = mintCall(address, 100_000_000n)
  await chain.request('eth_sendTransaction', { from, to: usdc, data })
}

process.stdout.write(`export EVM_RPC_URL=${chain.url}
export FETCH_ALLOW_HOSTS=localhost:${port}
export NODE_EXTRA_CA_CERTS=${certFile}
export SELLER=localhost:${port}
`)
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void chain.close().finally(() => process.exit(0)))
