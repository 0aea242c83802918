import { notFound } from '../../platform/errors.ts'
import type { Agent } from '../agent.ts'
import { changeAgent } from '../change.ts'
import type { AgentServices } from '../context.ts'
import { sendStart } from '../provisioning/messages.ts'
import { byPerson } from './by-person.ts'
import { nextGeneration } from './generation.ts'

/** What a person's change makes of an agent, and whether it takes another container to come about. */
export interface PersonsChange {
  agent: Agent
  restarts: boolean
}

/**
 * Changes an agent because a person wants it, and starts it anew where that takes it: both are one write, so none of
 * several changes at once is lost or left without its container.
 * @param decide pure; it is asked again where anybody else was faster
 * @returns the agent as it is then
 * @throws PlatformError 404 where it is deleted meanwhile, and what `decide` throws
 */
export async function changeByPerson(
  ctx: AgentServices,
  agent: Agent,
  reason: 'config' | 'token' | 'update',
  decide: (current: Agent) => PersonsChange,
): Promise<Agent> {
  const forgiven = byPerson(ctx, 'started-by-person')
  let restarts = false
  const stored = await changeAgent(ctx.table, agent, (current) => {
    if (current.deleting) return current
    const change = decide(current)
    restarts = change.restarts
    return restarts ? forgiven(nextGeneration(change.agent)) : change.agent
  })
  if (stored === undefined || stored.deleting) throw notFound('Agent')
  if (restarts) await sendStart(ctx.queues, stored, { reason })
  return stored
}
