import type { Agent } from '../../agents/agent.ts'
import { type Alongside, changeAgent } from '../../agents/change.ts'
import type { AgentContext } from '../../agents/context.ts'
import { isWanted } from '../../agents/entitled.ts'
import { sendStart, sendStops } from '../provisioning/messages.ts'
import { byPerson } from './by-person.ts'
import { stopped } from './end.ts'
import { nextGeneration } from './generation.ts'

interface Lapse {
  agent: Agent
  /** That the owner's plan is still the one that the rule went by. */
  onChange: Alongside
}

/** How long an agent that its owner's plan has no place for is kept, in milliseconds. */
export const keptMs = 30 * 86_400_000

/**
 * Stops an agent because its owner's plan has no place for it, as a person's stop does. One that does not run any more
 * is left alone.
 * @param input.why in words, for the agent's owner
 * @throws what `onChange` throws where the plan has changed meanwhile
 */
export async function lapseAgent(
  ctx: AgentContext,
  { agent, onChange, why }: Lapse & { why: { code: string; text: string } },
  now = Date.now(),
): Promise<void> {
  const rest = byPerson('stopped', now)
  const at = new Date(now).toISOString()
  const stopReason = { ...why, exitCode: null, at }
  const stored = await changeAgent(ctx, {
    agent,
    decide: (current) =>
      isWanted(current) && !current.startedByOperator
        ? { ...rest(stopped(current)), lapsedAt: at, stopReason }
        : current,
    now,
    onChange,
  })
  if (stored?.lapsedAt !== undefined) await sendStops(ctx.queues, stored)
}

/**
 * Starts an agent again that a plan without a place for it had stopped. One that a person or an operator has stopped or
 * started since is left alone.
 * @throws what `onChange` throws where the plan has changed meanwhile
 */
export async function resumeAgent(
  ctx: AgentContext,
  { agent, onChange }: Lapse,
  now = Date.now(),
): Promise<void> {
  const forgiven = byPerson('started', now)
  let resumed = false
  const stored = await changeAgent(ctx, {
    agent,
    decide: (current) => {
      resumed = current.lapsedAt !== undefined && !current.deleting
      if (!resumed) return current
      return { ...forgiven(nextGeneration(current)), resumedAt: new Date(now).toISOString() }
    },
    now,
    onChange,
  })
  if (resumed && stored !== undefined) await sendStart(ctx.queues, stored, { reason: 'plan' })
}
