import { erc20Abi, getAddress, type Hex } from 'viem'
import { type Amount, amountOf } from '../money/amount.ts'
import { notConfigured, PlatformError } from '../platform/errors.ts'
import type { Rpc } from './client.ts'
import { readContract } from './read-contract.ts'
import { readChainId } from './receipt.ts'

/** The settings that name the chain of agents' wallets: contract.md 1. */
export interface UsdcSettings {
  EVM_CHAIN_ID: number
  EVM_RPC_URL?: string | undefined
  USDC_ADDRESS?: string | undefined
}

/** The chain that wallets hold USDC on. */
export interface UsdcChain {
  rpc: Rpc
  chainId: number
  /** The USDC contract, with its checksum. */
  token: Hex
}

/** Base, whose USDC needs no setting: contract.md 1. */
const base = { chainId: 8453, usdc: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' }

/**
 * The chain that the settings name, not asked yet.
 * @param feature what needs it, as the 503 names it
 * @throws PlatformError 503 that names every setting that is missing
 */
export function requireUsdc(settings: UsdcSettings, feature: string): UsdcChain {
  const { EVM_CHAIN_ID: chainId, EVM_RPC_URL: url } = settings
  const token = tokenOf(settings)
  const missing = [
    ...(url === undefined ? ['EVM_RPC_URL'] : []),
    ...(token === undefined ? ['USDC_ADDRESS'] : []),
  ]
  if (url === undefined || token === undefined) throw notConfigured(feature, missing)
  return { rpc: { url, setting: 'EVM_RPC_URL' }, chainId, token }
}

/** The USDC contract that the settings name, with its checksum; undefined where they must name one and do not. */
export function tokenOf({
  EVM_CHAIN_ID: chainId,
  USDC_ADDRESS: address,
}: Pick<UsdcSettings, 'EVM_CHAIN_ID' | 'USDC_ADDRESS'>): Hex | undefined {
  const token = address ?? (chainId === base.chainId ? base.usdc : undefined)
  return token === undefined ? undefined : getAddress(token)
}

/** Nodes that have said the right chain's id once, by URL and id: a node's chain does not change. */
const right = new Set<string>()

/**
 * Makes sure that the node is one of the chain: nothing may be read from, or signed for, any other.
 * @throws PlatformError 503 that names EVM_RPC_URL for another chain's node; 503 where it cannot be asked
 */
export async function requireRightChain({ rpc, chainId }: UsdcChain): Promise<void> {
  const node = `${chainId} ${rpc.url}`
  if (right.has(node)) return
  const found = await readChainId(rpc)
  if (found !== chainId)
    throw new PlatformError(
      'unavailable',
      `${rpc.setting} leads to a node of chain ${found}, not of ${chainId}`,
      { details: { missing: [rpc.setting] } },
    )
  right.add(node)
}

/**
 * How much USDC an address has.
 * @throws PlatformError 503 where the node is of another chain or does not answer, or the token is not there
 */
export async function readUsdcBalance(chain: UsdcChain, address: Hex): Promise<Amount<'USDC'>> {
  await requireRightChain(chain)
  const minor = await readContract(chain.rpc, {
    address: chain.token,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [address],
  })
  if (minor === undefined) throw notConfigured('USDC', ['USDC_ADDRESS'])
  return amountOf('USDC', minor)
}
