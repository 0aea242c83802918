import type { Agent } from '../agent.ts'
import { changeAgent } from '../change.ts'
import type { TendContext } from './ensure.ts'
import { fillWorkspace } from './fill.ts'
import { learnMemory } from './learn.ts'
import { Slots } from './slots.ts'
import { emptyWorkspace, isFilled } from './state.ts'

/** A check has little time, and an agent that takes all of it must not take the others': milliseconds. */
const patience = { silence: 3000, whole: 5000 }
const wholeMs = 10_000
const slotMs = 5000

/** What an agent remembers may be megabytes, and a process checks a hundred agents side by side. */
const slots = new Slots(4)

/**
 * Keeps an agent that answers and the table together, at each of its checks: its container is given what it lacks,
 * before the agent counts as running where it is just starting, and what it wrote itself is taken over once it was
 * worked with. What fails or finds no place is the next check's to mend: it makes nobody unhealthy.
 */
export async function tendWorkspace(services: TendContext, agent: Agent): Promise<void> {
  if (isFilled(agent) && !hasWorkedSince(agent)) return
  using slot = await slots.take(slotMs)
  if (slot === undefined) return services.log.warn('no place to tend', { agentId: agent.id })
  const ctx = { ...services, patience, signal: AbortSignal.timeout(wholeMs) }
  try {
    const filled = await fillWorkspace(ctx, agent)
    if (hasWorkedSince(filled)) await learn(ctx, filled)
  } catch (error) {
    ctx.log.warn('the workspace was not tended', { agentId: agent.id, error })
  }
}

function hasWorkedSince({ status, lastActiveAt, workspace }: Agent): boolean {
  if (status !== 'running' || lastActiveAt === undefined) return false
  return (workspace?.learnedAt ?? '') < lastActiveAt
}

async function learn(ctx: TendContext, agent: Agent): Promise<void> {
  const learnedAt = new Date().toISOString()
  const learned = await learnMemory(ctx, agent)
  await changeAgent(ctx.table, learned, (current) => ({
    ...current,
    workspace: { ...(current.workspace ?? emptyWorkspace), learnedAt },
  }))
}
