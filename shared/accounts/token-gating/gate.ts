import { type Address, erc20Abi, getAddress } from 'viem'
import type { Rpc } from '#shared/money/evm/client.ts'
import { readContract } from '#shared/money/evm/read-contract.ts'
import { notConfigured, PlatformError } from '#shared/platform/errors.ts'

/** The token that gates access, on the chain of EVM_RPC_URL. */
export interface TokenGate {
  evm: Rpc
  /** TOKEN_GATE_ADDRESS: the contract of an ERC-20 or ERC-721 token. */
  tokenAddress: string | undefined
  /** TOKEN_GATE_MINIMUM: the minimum balance in the token's smallest unit. */
  minimum: bigint
}

export interface TokenAccess {
  /** True if the address holds enough of the token; false if no token is configured. */
  tokenGated: boolean
  accessLevel: 'holder' | 'basic'
}

/**
 * Returns an address's balance of a token, by `balanceOf`, which ERC-20 and ERC-721 share.
 * @throws PlatformError 503 without EVM_RPC_URL or if its node does not respond, 400 if the contract is not a token
 */
export async function balanceOf(evm: Rpc, token: Address, owner: Address): Promise<bigint> {
  if (evm.url === undefined) throw notConfigured('Token gating', [evm.setting])
  const balance = await readContract(evm, {
    // Lower case, because the checksum of a user's address may be wrong.
    address: getAddress(token.toLowerCase()),
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [owner],
  })
  if (balance === undefined)
    throw new PlatformError('bad-request', 'tokenAddress is not a token of this chain')
  return balance
}

/** Returns the access that a balance gives: `holder` from the minimum on, otherwise `basic`. */
export function accessOf(balance: bigint, minimum: bigint): TokenAccess {
  const holds = balance >= minimum
  return { tokenGated: holds, accessLevel: holds ? 'holder' : 'basic' }
}

/**
 * Returns the access that the platform's own token gives to an address; without a configured token every address
 * has basic access.
 */
export async function platformAccess(
  { evm, tokenAddress, minimum }: TokenGate,
  address: Address | null,
): Promise<TokenAccess> {
  if (tokenAddress === undefined || address === null) return accessOf(0n, 1n)
  return accessOf(await balanceOf(evm, tokenAddress as Address, address), minimum)
}
