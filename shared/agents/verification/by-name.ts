import { type Address, namehash, parseAbi, zeroAddress } from 'viem'
import { normalize } from 'viem/ens'
import { readContract } from '../../evm/read-contract.ts'
import { type Chain, namesOf } from './chain.ts'
import { refused } from './refusal.ts'

const registryAbi = parseAbi(['function resolver(bytes32 node) view returns (address)'])
const resolverAbi = parseAbi([
  'function name(bytes32 node) view returns (string)',
  'function addr(bytes32 node) view returns (address)',
])

/** Longer is no name that anyone would show. */
const longestName = 255

/**
 * The name that a wallet has made its own: its reverse record (ENSIP-3), which anybody may write, and the name's own
 * record of the address, which only the name's owner may. The owner of any name can write one that looks like another's
 * (hidden characters, letters of other scripts), so only a normalized one counts (ENSIP-15).
 * @throws PlatformError 400 without such a name, 503 where the chain has no names or cannot be asked
 */
export async function primaryName(chain: Chain, wallet: Address): Promise<string> {
  const { reverse } = namesOf(chain)
  const node = namehash(`${wallet.slice(2).toLowerCase()}.${reverse}`)
  const name = await ask(chain, node, 'name')
  if (typeof name !== 'string' || name === '' || name.length > longestName)
    throw refused(`${wallet} has no name`)
  if (!isNormalized(name)) throw refused(`the name of ${wallet} is not normalized`)
  const address = await ask(chain, namehash(name), 'addr')
  if (typeof address !== 'string' || address.toLowerCase() !== wallet.toLowerCase())
    throw refused(`${name} does not lead to ${wallet}`)
  return name
}

function isNormalized(name: string): boolean {
  try {
    return normalize(name) === name
  } catch {
    // Not a name at all, which is said by throwing.
    return false
  }
}

/** What a node's resolver says; undefined where it has none, or it says nothing. */
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
