import { erc20Abi, getAddress, type Hex } from 'viem'
import { notConfigured, PlatformError } from '#shared/platform/errors.ts'
import { type Amount, amountOf } from '../amounts/amount.ts'
import type { Rpc } from './client.ts'
import { readContract } from './read-contract.ts'
import { readChainId } from './receipt.ts'

/** The settings of the chain of agents' wallets: contract.md 1. */
export interface UsdcSettings {
  EVM_CHAIN_ID: number
  EVM_RPC_URL?: string | undefined
  USDC_ADDRESS?: string | undefined
}

/** The chain of the wallets' USDC. */
export interface UsdcChain {
  rpc: Rpc
  chainId: number
  /** The USDC contract, with its checksum. */
  token: Hex
}

/** Base, the only chain whose USDC needs no setting: contract.md 1. */
const base = { chainId: 8453, usdc: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' }

/**
 * Returns the chain of the settings, without a call to its node.
 * @param feature the feature's name for the 503
 * @throws PlatformError 503 that lists every missing setting
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

/**
 * Returns the USDC contract of the settings, with its checksum; undefined if the setting is required but missing.
 */
export function tokenOf({
  EVM_CHAIN_ID: chainId,
  USDC_ADDRESS: address,
}: Pick<UsdcSettings, 'EVM_CHAIN_ID' | 'USDC_ADDRESS'>): Hex | undefined {
  const token = address ?? (chainId === base.chainId ? base.usdc : undefined)
  return token === undefined ? undefined : getAddress(token)
}

/** The nodes whose chain id was verified, by URL and id. The chain of a node does not change. */
const right = new Set<string>()

/**
 * Verifies the node's chain id, so that nothing is read from another chain or signed for it.
 * @throws PlatformError 503 that names EVM_RPC_URL for a node of another chain; 503 if the node cannot be reached
 */
export async function requireChainId({ rpc, chainId }: UsdcChain): Promise<void> {
  const node = `${chainId} ${rpc.url}`
  if (right.has(node)) return
  const found = await readChainId(rpc)
  if (found !== chainId)
    throw new PlatformError(
      'unavailable',
      `The node in ${rpc.setting} belongs to chain ${found}, not ${chainId}`,
      { details: { missing: [rpc.setting] } },
    )
  right.add(node)
}

/**
 * Returns the USDC balance of an address.
 * @throws PlatformError 503 if the node belongs to another chain or does not respond, or the token does not exist
 */
export async function readUsdcBalance(chain: UsdcChain, address: Hex): Promise<Amount<'USDC'>> {
  await requireChainId(chain)
  const minor = await readContract(chain.rpc, {
    address: chain.token,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [address],
  })
  if (minor === undefined) throw notConfigured('USDC', ['USDC_ADDRESS'])
  return amountOf('USDC', minor)
}

/** A capability of verbs that read USDC balances. */
export interface HasUsdc {
  chain: UsdcSettings
}
