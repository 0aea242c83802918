import type { Agent } from '#shared/agents/record/agent.ts'
import type { AgentContext, AgentSetting } from '#shared/agents/record/context.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import { gatewayToken } from '#shared/agents/record/secrets.ts'
import { notFound, notConfigured } from '#shared/platform/errors.ts'
import type { InternalActor } from '#shared/platform/identity/actor.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'

/**
 * Returns the token of an agent's gateway, only for its owner. A trusted caller that acts for no user gets only the
 * tokens of the platform's own agents.
 * @throws PlatformError 404, 503 without a key
 */
export async function readToken(
  ctx: Pick<Context<InternalActor>, 'actor' | 'owner' | 'requestId'> &
    AgentContext &
    Reads<AgentSetting>,
  { agentId }: { agentId: string },
): Promise<string> {
  return tokenOf(ctx, await requireOwned(ctx, { agentId }))
}

/** @throws PlatformError 404 if the caller acts for another user */
export async function requireOwned(
  { table, owner }: Pick<Context<InternalActor>, 'owner' | 'table'>,
  { agentId }: { agentId: string },
): Promise<Agent> {
  const agent = await requireAgent({ table }, { agentId, owner })
  if (agent.userId !== (owner ?? null)) throw notFound('Agent')
  return agent
}

/** @throws PlatformError 503 without a key to derive it */
export function tokenOf(
  { config }: Reads<AgentSetting>,
  { id, tokenVersion }: Agent,
): Promise<string> {
  const key = config.WALLET_ENCRYPTION_KEY
  if (key === undefined) throw notConfigured('The gateway token', ['WALLET_ENCRYPTION_KEY'])
  return gatewayToken(key, id, tokenVersion)
}
