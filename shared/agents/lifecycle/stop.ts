import { notFound } from '../../platform/errors.ts'
import type { Agent } from '../agent.ts'
import { changeAgent } from '../change.ts'
import type { AgentServices } from '../context.ts'
import { sendStops } from '../provisioning/messages.ts'
import { byPerson } from './by-person.ts'
import { stoppedByPerson } from '../tasks/stop-reason.ts'
import { stopped } from './end.ts'
import { requireProvisioning } from './guard.ts'

/**
 * Stops an agent because a person wants it: its key is void at once, its container gets the time it needs to end.
 * @throws PlatformError 500 while KILL_SWITCH, 404 where it is deleted meanwhile
 */
export async function stopAgent(ctx: AgentServices, agent: Agent): Promise<Agent> {
  requireProvisioning(ctx)
  const rest = byPerson(ctx, 'stopped-by-person')
  const stored = await changeAgent(ctx.table, agent, (current) => rest(withReason(current)))
  if (stored === undefined || stored.deleting) throw notFound('Agent')
  await sendStops(ctx.queues, stored)
  return stored
}

/** One that has failed stays to be looked into: stopping it says no more of why it ended. */
function withReason(agent: Agent): Agent {
  const ends = agent.desired === 'running' || agent.asleep === true
  return { ...stopped(agent), ...(ends && { stopReason: stoppedByPerson(Date.now()) }) }
}
