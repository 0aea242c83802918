import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { type Anvil, startAnvil } from './anvil.ts'
import { usdcCode } from './usdc.ts'

export const usdc: Hex = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

const abi = parseAbi([
  'function mint(address to, uint256 value)',
  'function balanceOf(address) view returns (uint256)',
])

export interface UsdcChain extends Anvil {
  /**
   * Mints USDC to an address.
   * @param minor millionths
   */
  mint(to: string, minor: bigint): Promise<void>
}

/**
 * Starts a chain for one test, with a token like USDC at Base's address.
 * @param more further arguments for anvil
 */
export async function startUsdcChain(chainId = 8453, ...more: string[]): Promise<UsdcChain> {
  const anvil = await startAnvil(chainId, ...more)
  await anvil.request('anvil_setCode', usdc, usdcCode)
  const [from] = await anvil.request('eth_accounts')
  return {
    ...anvil,
    async mint(to, minor) {
      await anvil.send({ from, to: usdc, data: mintCall(to, minor) })
    },
  }
}

/** Returns the data of the call that mints USDC to an address. @param minor millionths */
export function mintCall(to: string, minor: bigint): Hex {
  return encodeFunctionData({ abi, functionName: 'mint', args: [to as Hex, minor] })
}

/** Returns the balance of an address in millionths of USDC. */
export async function balanceOf(anvil: Anvil, address: string): Promise<bigint> {
  const data = encodeFunctionData({ abi, functionName: 'balanceOf', args: [address as Hex] })
  return BigInt(await anvil.request('eth_call', { to: usdc, data }, 'latest'))
}
