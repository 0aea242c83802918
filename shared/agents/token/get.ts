import { notFound, notConfigured } from '../../platform/errors.ts'
import type { Agent } from '../agent.ts'
import type { AgentServices } from '../context.ts'
import { requireAgent } from '../find.ts'
import { gatewayToken } from '../secrets.ts'

/**
 * The token of an agent's gateway, for its owner alone: a caller that acts for nobody gets those of the platform's own
 * agents and of no other.
 * @throws PlatformError 404, 503 without a key
 */
export async function readToken(
  ctx: AgentServices,
  owner: string | undefined,
  agentId: string,
): Promise<string> {
  return tokenOf(ctx, await requireOwned(ctx, owner, agentId))
}

/** @throws PlatformError 404 where the caller acts for another than the owner */
export async function requireOwned(
  { table }: Pick<AgentServices, 'table'>,
  owner: string | undefined,
  agentId: string,
): Promise<Agent> {
  const agent = await requireAgent(table, agentId, owner)
  if (agent.userId !== (owner ?? null)) throw notFound('Agent')
  return agent
}

/** @throws PlatformError 503 without a key to derive it from */
export function tokenOf(
  { config }: Pick<AgentServices, 'config'>,
  { id, tokenVersion }: Agent,
): Promise<string> {
  const key = config.WALLET_ENCRYPTION_KEY
  if (key === undefined) throw notConfigured('The gateway token', ['WALLET_ENCRYPTION_KEY'])
  return gatewayToken(key, id, tokenVersion)
}
