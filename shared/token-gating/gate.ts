import { type Address, erc20Abi, getAddress } from 'viem'
import { readContract } from '../evm/read-contract.ts'
import type { Rpc } from '../evm/client.ts'
import { notConfigured, PlatformError } from '../platform/errors.ts'

/** The token whose holders get in, on the chain that EVM_RPC_URL reaches. */
export interface TokenGate {
  evm: Rpc
  /** TOKEN_GATE_ADDRESS: the contract of an ERC-20 or ERC-721 token. */
  tokenAddress: string | undefined
  /** TOKEN_GATE_MINIMUM: how much is enough, in the token's smallest unit. */
  minimum: bigint
}

export interface Access {
  /** True if the token opened the way; false too where no token is asked for. */
  tokenGated: boolean
  accessLevel: 'holder' | 'basic'
}

/**
 * What an address holds of a token, by `balanceOf`, which ERC-20 and ERC-721 share.
 * @throws PlatformError 503 without EVM_RPC_URL or an answer from it, 400 for what is no token
 */
export async function balanceOf(evm: Rpc, token: Address, owner: Address): Promise<bigint> {
  if (evm.url === undefined) throw notConfigured('Token gating', [evm.setting])
  const balance = await readContract(evm, {
    // As users write it, its checksum may be wrong.
    address: getAddress(token.toLowerCase()),
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [owner],
  })
  if (balance === undefined)
    throw new PlatformError('bad-request', 'tokenAddress is not a token of this chain')
  return balance
}

export function accessOf(balance: bigint, minimum: bigint): Access {
  const holds = balance >= minimum
  return { tokenGated: holds, accessLevel: holds ? 'holder' : 'basic' }
}

/** What the platform's own token opens to an address; without a token set there are no holders. */
export async function platformAccess(
  { evm, tokenAddress, minimum }: TokenGate,
  address: Address | null,
): Promise<Access> {
  if (tokenAddress === undefined || address === null) return accessOf(0n, 1n)
  return accessOf(await balanceOf(evm, tokenAddress as Address, address), minimum)
}
