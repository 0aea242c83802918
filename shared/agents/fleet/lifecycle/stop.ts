import type { Agent } from '#shared/agents/record/agent.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import type { AgentContext, ChangeAuthor } from '#shared/agents/record/context.ts'
import { requireProvisioning } from '#shared/agents/record/guard.ts'
import { isWanted } from '#shared/agents/record/paid-access.ts'
import type { Starter } from '#shared/agents/record/permit.ts'
import { notFound } from '#shared/platform/errors.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import { sendStops } from '../requests/send.ts'
import { stopped } from '../states/end.ts'
import { stoppedByPerson } from '../states/stop-reason.ts'
import { byPerson } from './by-person.ts'

/**
 * Stops an agent for a person: its key is invalid immediately, and its container gets time to shut down. An agent that
 * an operator stops stays stopped until an operator starts it, even if its owner stops it again.
 * @throws PlatformError 500 while KILL_SWITCH is on, 404 if it is deleted in the meantime
 */
export async function stopAgent(
  ctx: AgentContext & Reads<'KILL_SWITCH'> & ChangeAuthor,
  { agent, by = 'owner' }: { agent: Agent; by?: Starter },
): Promise<Agent> {
  requireProvisioning(ctx)
  const stored = await changeAgent(ctx, {
    agent,
    decide: (current) => ({
      ...atRest(current),
      ...(by === 'operator' && { stoppedByOperator: true }),
    }),
  })
  if (stored === undefined || stored.deleting) throw notFound('Agent')
  await sendStops(ctx.queues, stored)
  return stored
}

/**
 * Stops a starting agent, and leaves a running one unchanged.
 * @param start the id of the start to stop
 * @param reason the person's reason, for the agent's `stopReason` and events
 * @returns false if that start is no longer in progress
 * @throws PlatformError 500 while KILL_SWITCH is on
 */
export async function stopStart(
  ctx: AgentContext & Reads<'KILL_SWITCH'> & ChangeAuthor,
  { agent, start, reason }: { agent: Agent; start: number; reason: string | null },
): Promise<boolean> {
  requireProvisioning(ctx)
  let isUnderWay = false
  const stored = await changeAgent(ctx, {
    agent,
    decide(current) {
      isUnderWay =
        current.status === 'provisioning' && current.generation === start && !current.deleting
      return isUnderWay ? atRest(current, reason) : current
    },
  })
  if (stored === undefined || !isUnderWay) return false
  await sendStops(ctx.queues, stored)
  return true
}

function atRest(agent: Agent, reason: string | null = null): Agent {
  return byPerson('stopped')(withReason(agent, reason))
}

/** A failed agent keeps its stop reason for diagnosis. */
function withReason(agent: Agent, reason: string | null): Agent {
  const ends = isWanted(agent) || agent.lapsedAt !== undefined
  return { ...stopped(agent), ...(ends && { stopReason: stoppedByPerson(Date.now(), reason) }) }
}
