import { equalInConstantTime } from '#shared/platform/crypto.ts'
import { notConfigured, PlatformError } from '#shared/platform/errors.ts'
import type { GateContext } from './context.ts'

/**
 * Requires the agents' router, because only its headers are trusted and only it receives gateway tokens.
 * @throws PlatformError 503 without ROUTER_SECRET, 401 for another caller
 */
export async function requireRouter(
  { config }: Pick<GateContext, 'config'>,
  secret: string | null,
): Promise<void> {
  if (config.ROUTER_SECRET === undefined) throw notConfigured('Reaching agents', ['ROUTER_SECRET'])
  if (!(await equalInConstantTime(secret ?? '', config.ROUTER_SECRET)))
    throw new PlatformError('unauthorized', 'Unauthorized')
}
