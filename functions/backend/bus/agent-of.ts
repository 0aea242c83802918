import { type AgentQuery } from '#shared/agents/record/find.ts'
import { notFound, PlatformError } from '#shared/platform/errors.ts'
import type { AgentActor, InternalActor } from '#shared/platform/identity/actor.ts'
import type { Context } from '#shared/platform/identity/context.ts'

/**
 * Returns the agent of a request. With an agent's key it is that agent. A trusted caller names the agent, which must
 * belong to the user that the caller acts for, if any.
 * @throws PlatformError 404 if the key belongs to another agent, 400 if a trusted caller names no agent
 */
export function agentOf(
  { actor, owner }: Pick<Context<AgentActor | InternalActor>, 'actor' | 'owner'>,
  named: string | undefined,
): AgentQuery {
  if (actor.type === 'agent') {
    if (named !== undefined && named !== actor.agentId) throw notFound('Agent')
    return { agentId: actor.agentId, owner: undefined }
  }
  if (named === undefined) throw new PlatformError('bad-request', 'agentId required')
  return { agentId: named, owner }
}
