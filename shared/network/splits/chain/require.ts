import {
  requireChainId,
  requireUsdc,
  type UsdcChain,
  type UsdcSettings,
} from '#shared/money/evm/usdc.ts'
import { PlatformError } from '#shared/platform/errors.ts'

/**
 * Checks that splits can be paid. An unreachable node is no error, because it may be back later.
 * @returns the chain and token of a new split, which it keeps if the settings change
 * @throws PlatformError 503 if settings are missing, or the node's chain is another one
 */
export async function requireSplitChain(
  settings: UsdcSettings,
): Promise<Pick<UsdcChain, 'chainId' | 'token'>> {
  const chain = requireUsdc(settings, 'Splits')
  await requireChainId(chain).catch((error: unknown) => {
    if (!(error instanceof PlatformError) || 'missing' in error.details) throw error
  })
  const { chainId, token } = chain
  return { chainId, token }
}
