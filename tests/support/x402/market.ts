/**
 * `npm run market`: a chain, a facilitator and a seller by x402 on this machine, to try payments of
 * agents without money. Prints the settings for `npm run dev`, and runs until it is stopped.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { startMarket } from './start-market.ts'

const market = await startMarket(faucet, '--block-time', '2')

function faucet(request: IncomingMessage, response: ServerResponse): boolean {
  const [, address] = /^\/faucet\/(0x[0-9a-fA-F]{40})$/.exec(request.url ?? '') ?? []
  if (address === undefined) return false
  market.fund(address).then(
    () => response.end('100 USDC and 1 ETH\n'),
    (error: unknown) => response.writeHead(500).end(String(error)),
  )
  return true
}

for (const [name, value] of Object.entries({ ...market.settings, SELLER: market.host }))
  process.stdout.write(`export ${name}=${value}\n`)
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void market.close().finally(() => process.exit(0)))
