import { notFound } from '../../platform/errors.ts'
import type { Agent } from '../agent.ts'
import { changeAgent } from '../change.ts'
import type { AgentServices } from '../context.ts'
import { byPerson } from '../lifecycle/by-person.ts'
import { nextGeneration } from '../lifecycle/generation.ts'
import { requireProvisioning } from '../lifecycle/guard.ts'
import { sendStart } from '../provisioning/messages.ts'
import { withImage } from './wanted.ts'

/**
 * Starts an agent anew on another image because a person wants it. Where that one is never seen to be well, the agent
 * goes back to the image before it by itself: rolledBack.
 * @param image absent for the platform's own
 * @throws PlatformError 500 while KILL_SWITCH, 404 where it is deleted meanwhile
 */
export async function updateImage(
  ctx: AgentServices,
  agent: Agent,
  image: string | undefined,
): Promise<Agent> {
  requireProvisioning(ctx)
  const forgiven = byPerson(ctx, 'started-by-person')
  const stored = await changeAgent(ctx.table, agent, (current) =>
    current.deleting
      ? current
      : forgiven(nextGeneration(withImage(current, image, ctx.config.AGENT_IMAGE))),
  )
  if (stored === undefined || stored.deleting) throw notFound('Agent')
  await sendStart(ctx.queues, stored, { reason: 'update' })
  return stored
}
