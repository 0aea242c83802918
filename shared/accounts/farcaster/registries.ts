import { type Address, parseAbi, toHex } from 'viem'
import type { Rpc } from '#shared/money/evm/client.ts'
import { readContract } from '#shared/money/evm/read-contract.ts'

/**
 * Farcaster's contracts on OP Mainnet, the same for everyone:
 * https://docs.farcaster.xyz/reference/contracts/deployments
 */
export const idRegistry: Address = '0x00000000fc6c5f01fc30151999387bb99a9f489b'
export const keyRegistry: Address = '0x00000000fc1237824fb747abde0ff18990e59b7e'

const idRegistryAbi = parseAbi(['function idOf(address owner) view returns (uint256 fid)'])
const keyRegistryAbi = parseAbi([
  'function keyDataOf(uint256 fid, bytes key) view returns (uint8 state, uint32 keyType)',
])

/** Key type 2 is an auth address and state 1 an added key: farcasterxyz/protocol, discussion 225. */
const authAddress = 2
const added = 1

/** Returns whether an address has the custody of a Farcaster account. */
export async function isCustodian(rpc: Rpc, address: Address, fid: number): Promise<boolean> {
  const owned = await readContract(rpc, {
    address: idRegistry,
    abi: idRegistryAbi,
    functionName: 'idOf',
    args: [address],
  })
  return found(owned, 'id registry') === BigInt(fid)
}

/** Returns whether the custodian of a Farcaster account lets an address sign in for it. */
export async function isAuthAddress(rpc: Rpc, address: Address, fid: number): Promise<boolean> {
  const data = await readContract(rpc, {
    address: keyRegistry,
    abi: keyRegistryAbi,
    functionName: 'keyDataOf',
    args: [BigInt(fid), toHex(BigInt(address), { size: 32 })],
  })
  const [state, keyType] = found(data, 'key registry')
  return state === added && keyType === authAddress
}

function found<T>(value: T | undefined, registry: string): T {
  if (value === undefined)
    throw new Error(`Farcaster’s ${registry} was not found at FARCASTER_RPC_URL`)
  return value
}
