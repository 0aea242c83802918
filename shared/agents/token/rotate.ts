import type { AgentServices } from '../context.ts'
import { changeByPerson } from '../lifecycle/change-by-person.ts'
import { requireProvisioning } from '../lifecycle/guard.ts'
import { requireOwned, tokenOf } from './get.ts'

/**
 * Gives an agent's gateway another token. The platform refuses the old one at once; a container that runs is replaced,
 * since it would go on taking it. Of two calls at once both answer the same new one.
 * @returns the new token
 * @throws PlatformError 404, 500 while KILL_SWITCH for an agent that runs, 503 without a key
 */
export async function rotateToken(
  ctx: AgentServices,
  owner: string | undefined,
  agentId: string,
): Promise<string> {
  const found = await requireOwned(ctx, owner, agentId)
  const rotated = await changeByPerson(ctx, found, 'token', (current) => {
    if (current.tokenVersion !== found.tokenVersion) return { agent: current, restarts: false }
    const restarts = current.desired === 'running'
    if (restarts) requireProvisioning(ctx)
    return { agent: { ...current, tokenVersion: current.tokenVersion + 1 }, restarts }
  })
  return tokenOf(ctx, rotated)
}
