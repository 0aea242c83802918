import { notFound } from '../../platform/errors.ts'
import { changeAgent } from '../change.ts'
import type { AgentServices } from '../context.ts'
import { byPerson } from '../lifecycle/by-person.ts'
import { nextGeneration } from '../lifecycle/generation.ts'
import { requireProvisioning } from '../lifecycle/guard.ts'
import { sendStart } from '../provisioning/messages.ts'
import { requireOwned, tokenOf } from './get.ts'

/**
 * Gives an agent's gateway another token. The platform refuses the old one at once; a container that runs is replaced,
 * since it would go on taking it.
 * @returns the new token
 * @throws PlatformError 404, 500 while KILL_SWITCH for an agent that runs, 503 without a key
 */
export async function rotateToken(
  ctx: AgentServices,
  owner: string | undefined,
  agentId: string,
): Promise<string> {
  const agent = await requireOwned(ctx, owner, agentId)
  const forgiven = byPerson(ctx, 'started-by-person')
  const stored = await changeAgent(ctx.table, agent, (current) => {
    if (current.deleting || current.tokenVersion !== agent.tokenVersion) return current
    const next = { ...current, tokenVersion: current.tokenVersion + 1 }
    if (current.desired !== 'running') return next
    requireProvisioning(ctx)
    return forgiven(nextGeneration(next))
  })
  if (stored === undefined || stored.deleting) throw notFound('Agent')
  if (stored.desired === 'running') await sendStart(ctx.queues, stored, { reason: 'token' })
  return tokenOf(ctx, stored)
}
