import type { Reads } from '#shared/platform/identity/capabilities.ts'
import type { Agent } from '../agent.ts'
import { namesOfSecrets, openSecret } from './seal.ts'
import { mask, secretNames } from './secrets.ts'

/** Returns an agent's config with masked secrets. */
export async function showConfig(
  ctx: Reads<'WALLET_ENCRYPTION_KEY'>,
  agent: Agent,
): Promise<Record<string, unknown>> {
  const config: Record<string, unknown> = { ...agent.config }
  for (const name of secretNames) delete config[name]
  for (const name of namesOfSecrets(agent))
    config[name] = mask((await openSecret(ctx, agent, name)) ?? '')
  return config
}
