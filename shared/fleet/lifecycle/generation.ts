import { notFound } from '../../platform/errors.ts'
import type { Agent } from '../../agents/agent.ts'
import { changeAgent } from '../../agents/change.ts'
import type { AgentContext, Asked } from '../../agents/context.ts'
import type { EventKind } from '../../agents/events/schema.ts'
import { sendStart } from '../provisioning/messages.ts'
import { moved } from '../../agents/status.ts'
import type { StartPermit } from '../../agents/permit.ts'

/** The agent as one that is to start anew; its task, if it still has one, must end first. */
export function nextGeneration(agent: Agent): Agent {
  const leftBehind = agent.taskStatus === 'STOPPED' ? undefined : agent.taskArn
  return {
    ...agent,
    status: moved(agent.status, 'start') ?? agent.status,
    desired: 'running',
    generation: agent.generation + 1,
    previousTaskArn: leftBehind ?? agent.previousTaskArn,
    taskArn: undefined,
    taskStatus: undefined,
    taskHealth: undefined,
    taskVersion: undefined,
    leaving: undefined,
    seenUp: undefined,
    address: undefined,
    aiKeyHash: undefined,
    onDemand: undefined,
    startAttempts: undefined,
    retryAt: undefined,
    startedAt: undefined,
    asleep: undefined,
    waking: undefined,
    stoppedByOperator: undefined,
    lapsedAt: undefined,
    deletionAt: undefined,
  }
}

/** The agent as one that a person starts, where there is a permit: who gave it says whether a plan's end stops it. */
export function permitted(next: Agent, permit: StartPermit | undefined): Agent {
  if (permit === undefined) return next
  return { ...next, startedByOperator: permit.overrides, resumedAt: undefined }
}

/** What the start is for. */
export type StartReason = 'start' | 'restart' | 'repair' | 'deploy' | 'watchdog' | 'host-lost'

/** How the agent's events tell it; others are told by what the agent was before. */
const kinds: Partial<Record<StartReason, EventKind>> = { restart: 'restarted', repair: 'repaired' }

export interface GenerationStart {
  /** As the caller saw it. */
  agent: Agent
  reason: StartReason
  /** Of the person who wants it; the platform itself has none, and starts only what is to run. */
  permit?: StartPermit
  /** Further changes for the same write, pure. */
  change?: (next: Agent) => Agent
}

/**
 * Starts an agent anew, in any state: a new generation is stored, then asked for. Two calls that saw the same
 * generation start one: the second finds it moved, and asks again for what is there.
 * @throws PlatformError 404 where it is deleted meanwhile, 402 and 409 as permitStart
 */
export async function startGeneration(
  ctx: AgentContext & Asked,
  { agent, reason, permit, change = (next) => next }: GenerationStart,
): Promise<Agent> {
  const decide = (current: Agent): Agent => {
    if (current.deleting) return current
    permit?.check(current)
    const mayStart = permit !== undefined || current.desired === 'running'
    return mayStart && current.generation === agent.generation
      ? change(permitted(nextGeneration(current), permit))
      : current
  }
  const kind = kinds[reason]
  const stored = await changeAgent(ctx, {
    agent,
    decide,
    onStart: permit?.paid,
    awakeLimit: permit?.awakeLimit,
    kind,
  })
  if (stored === undefined || stored.deleting) throw notFound('Agent')
  if (stored.desired === 'running') await sendStart(ctx.queues, stored, { reason })
  return stored
}
