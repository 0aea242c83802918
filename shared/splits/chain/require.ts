import {
  requireRightChain,
  requireUsdc,
  type UsdcChain,
  type UsdcSettings,
} from '../../evm/usdc.ts'
import { PlatformError } from '../../platform/errors.ts'

/**
 * Whether splits can be paid at all. A node that does not answer now may do so later: that refuses none.
 * @returns what a split that is made now belongs to, also after the settings change
 * @throws PlatformError 503 where settings are missing, or the node is of another chain
 */
export async function requireSplitChain(
  settings: UsdcSettings,
): Promise<Pick<UsdcChain, 'chainId' | 'token'>> {
  const chain = requireUsdc(settings, 'Splits')
  await requireRightChain(chain).catch((error: unknown) => {
    if (!(error instanceof PlatformError) || 'missing' in error.details) throw error
  })
  const { chainId, token } = chain
  return { chainId, token }
}
