import { findDefaultAsset } from '@x402/evm'
import { type Hex, parseAbi } from 'viem'
import type { Rpc } from '../evm/client.ts'
import { readContract } from '../evm/read-contract.ts'

/** The name and version of a token, which its EIP-712 signatures contain. */
export interface TokenDomain {
  name: string
  version: string
}

/** The domain of Circle's contracts, for unknown chains. */
const circle: TokenDomain = { name: 'USD Coin', version: '2' }

/** The domains that were read, by token. A token's domain never changes. */
const read = new Map<string, TokenDomain>()

/**
 * Returns the EIP-712 domain of the token: from x402's list, from the chain, or Circle's default.
 * @throws PlatformError 503
 */
export async function tokenDomain(
  rpc: Rpc,
  network: `eip155:${number}`,
  asset: Hex,
): Promise<TokenDomain> {
  const known = findDefaultAsset(asset, network)
  if (known !== undefined) return { name: known.name, version: known.version }
  if (rpc.url === undefined) return circle
  const key = `${network} ${asset}`
  const domain = read.get(key) ?? (await readDomain(rpc, asset))
  read.set(key, domain)
  return domain
}

const metadata = parseAbi([
  'function name() view returns (string)',
  'function version() view returns (string)',
])

/** @throws PlatformError 503 */
async function readDomain(rpc: Rpc, address: Hex): Promise<TokenDomain> {
  const [name, version] = await Promise.all([
    readContract(rpc, { address, abi: metadata, functionName: 'name' }),
    readContract(rpc, { address, abi: metadata, functionName: 'version' }),
  ])
  return { name: name ?? circle.name, version: version ?? circle.version }
}
