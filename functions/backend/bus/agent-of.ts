import { type AgentQuery } from '../../../shared/agents/find.ts'
import type { AgentActor, InternalActor } from '../../../shared/identity/actor.ts'
import { notFound, PlatformError } from '../../../shared/platform/errors.ts'

/**
 * The agent that a request is about. An agent's key stands for itself alone; a trusted caller names one, which belongs
 * to the user that it acts for, if it acts for one.
 * @throws PlatformError 404 for another agent than the key's, 400 where a trusted caller names none
 */
export function agentOf(actor: AgentActor | InternalActor, named: string | undefined): AgentQuery {
  if (actor.type === 'agent') {
    if (named !== undefined && named !== actor.agentId) throw notFound('Agent')
    return { agentId: actor.agentId, owner: undefined }
  }
  if (named === undefined) throw new PlatformError('bad-request', 'agentId required')
  return { agentId: named, owner: actor.userId }
}
