import type { Agent } from '#shared/agents/record/agent.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import type { AgentContext, ChangeAuthor } from '#shared/agents/record/context.ts'
import type { EventKind } from '#shared/agents/record/events/schema.ts'
import type { StartPermit } from '#shared/agents/record/permit.ts'
import { notFound } from '#shared/platform/errors.ts'
import { sendStart } from '../requests/send.ts'
import { nextGeneration } from '../states/generation.ts'

/**
 * Returns the agent as started by a person if there is a permit. The permit determines whether the end of a plan stops
 * the agent.
 */
export function withPermit(next: Agent, permit: StartPermit | undefined): Agent {
  if (permit === undefined) return next
  return { ...next, startedByOperator: permit.overrides, resumedAt: undefined }
}

/** The reason of a start. */
export type StartReason = 'start' | 'restart' | 'repair' | 'deploy' | 'watchdog' | 'host-lost'

/** The events of these reasons. For the others, the event depends on the state before. */
const kinds: Partial<Record<StartReason, EventKind>> = { restart: 'restarted', repair: 'repaired' }

export interface GenerationStart {
  /** The agent as the caller last read it. */
  agent: Agent
  reason: StartReason
  /** The permit of the person who starts it. Absent for the platform, which only starts agents that should run. */
  permit?: StartPermit
  /** Additional changes for the same write. Pure. */
  change?: (next: Agent) => Agent
}

/**
 * Starts an agent in any state: stores a new generation, then sends its start. Two calls that read the same generation
 * start one: the second one finds the new generation and sends its start again.
 * @throws PlatformError 404 if it is deleted in the meantime, 402 and 409 as permitStart
 */
export async function startGeneration(
  ctx: AgentContext & ChangeAuthor,
  { agent, reason, permit, change = (next) => next }: GenerationStart,
): Promise<Agent> {
  const decide = (current: Agent): Agent => {
    if (current.deleting) return current
    permit?.check(current)
    const mayStart = permit !== undefined || current.desired === 'running'
    return mayStart && current.generation === agent.generation
      ? change(withPermit(nextGeneration(current), permit))
      : current
  }
  const kind = kinds[reason]
  const stored = await changeAgent(ctx, {
    agent,
    decide,
    onStart: permit?.paid,
    awakeLimit: permit?.awakeLimit,
    forStranger: permit?.forStranger,
    kind,
  })
  if (stored === undefined || stored.deleting) throw notFound('Agent')
  if (stored.desired === 'running') await sendStart(ctx.queues, stored, { reason })
  return stored
}
