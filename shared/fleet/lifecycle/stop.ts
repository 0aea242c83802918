import { notFound } from '../../platform/errors.ts'
import type { Agent } from '../../agents/agent.ts'
import { changeAgent } from '../../agents/change.ts'
import type { AgentServices, Asked } from '../../agents/context.ts'
import { sendStops } from '../provisioning/messages.ts'
import { byPerson } from './by-person.ts'
import { stoppedByPerson } from '../tasks/stop-reason.ts'
import { stopped } from './end.ts'
import { requireProvisioning } from '../../agents/guard.ts'
import { isWanted } from '../../agents/entitled.ts'
import type { Starter } from '../../agents/permit.ts'

/**
 * Stops an agent because a person wants it: its key is void at once, its container gets the time it needs to end. One
 * that an operator stops stays so until an operator starts it, also where its owner stops it once more.
 * @throws PlatformError 500 while KILL_SWITCH, 404 where it is deleted meanwhile
 */
export async function stopAgent(
  ctx: AgentServices & Asked,
  { agent, by = 'owner' }: { agent: Agent; by?: Starter },
): Promise<Agent> {
  requireProvisioning(ctx)
  const rest = byPerson('stopped')
  const stored = await changeAgent(ctx, {
    agent,
    decide: (current) => ({
      ...rest(withReason(current)),
      ...(by === 'operator' && { stoppedByOperator: true }),
    }),
  })
  if (stored === undefined || stored.deleting) throw notFound('Agent')
  await sendStops(ctx.queues, stored)
  return stored
}

/** One that has failed stays to be looked into: stopping it says no more of why it ended. */
function withReason(agent: Agent): Agent {
  const ends = isWanted(agent) || agent.lapsedAt !== undefined
  return { ...stopped(agent), ...(ends && { stopReason: stoppedByPerson(Date.now()) }) }
}
