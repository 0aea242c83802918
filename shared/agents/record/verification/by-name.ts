import { type Address, namehash, parseAbi, zeroAddress } from 'viem'
import { normalize } from 'viem/ens'
import { readContract } from '#shared/money/evm/read-contract.ts'
import { type Chain, namesOf } from './chain.ts'
import { verificationFailed } from './refusal.ts'

const registryAbi = parseAbi(['function resolver(bytes32 node) view returns (address)'])
const resolverAbi = parseAbi([
  'function name(bytes32 node) view returns (string)',
  'function addr(bytes32 node) view returns (address)',
])

/** A practical limit for names. */
const longestName = 255

/**
 * Returns the primary name of a wallet: its reverse record (ENSIP-3), which anyone can write, confirmed by the name's
 * address record, which only the name's owner can write. The owner of a name can make it look like another one (hidden
 * characters, letters of other scripts), so only a normalized name counts (ENSIP-15).
 * @throws PlatformError 400 without such a name, 503 if the chain has no names or is unreachable
 */
export async function primaryName(chain: Chain, wallet: Address): Promise<string> {
  const { reverse } = namesOf(chain)
  const node = namehash(`${wallet.slice(2).toLowerCase()}.${reverse}`)
  const name = await ask(chain, node, 'name')
  if (typeof name !== 'string' || name === '' || name.length > longestName)
    throw verificationFailed(`${wallet} has no name`)
  if (!isNormalized(name)) throw verificationFailed(`the name of ${wallet} is not normalized`)
  const address = await ask(chain, namehash(name), 'addr')
  if (typeof address !== 'string' || address.toLowerCase() !== wallet.toLowerCase())
    throw verificationFailed(`${name} does not resolve to ${wallet}`)
  return name
}

function isNormalized(name: string): boolean {
  try {
    return normalize(name) === name
  } catch {
    // The library throws for an invalid name.
    return false
  }
}

/** Queries the resolver of a node. Undefined without a resolver or a result. */
async function ask(
  chain: Chain,
  node: `0x${string}`,
  functionName: 'name' | 'addr',
): Promise<unknown> {
  const { registry } = namesOf(chain)
  const resolver = await readContract(chain.rpc, {
    address: registry,
    abi: registryAbi,
    functionName: 'resolver',
    args: [node],
  })
  if (resolver === undefined || resolver === zeroAddress) return undefined
  return readContract(chain.rpc, {
    address: resolver,
    abi: resolverAbi,
    functionName,
    args: [node],
  })
}
