import {
  requireChainId,
  requireUsdc,
  type UsdcChain,
  type UsdcSettings,
} from '#shared/money/evm/usdc.ts'
import { PlatformError } from '#shared/platform/errors.ts'

/**
 * Checks that splits can be paid. An unreachable node is not an error, because it may become reachable later.
 * @param feature the name of the feature for the 503
 * @returns the chain and token of a new split, which do not change with the settings
 * @throws PlatformError 503 if settings are missing, or the node belongs to another chain
 */
export async function requireSplitChain(
  settings: UsdcSettings,
  feature = 'Splits',
): Promise<Pick<UsdcChain, 'chainId' | 'token'>> {
  const chain = requireUsdc(settings, feature)
  await requireChainId(chain).catch((error: unknown) => {
    if (!(error instanceof PlatformError) || 'missing' in error.details) throw error
  })
  const { chainId, token } = chain
  return { chainId, token }
}
