import { isRunning } from '../agents/activity/running.ts'
import { fallAsleep, isIdle } from '../agents/activity/sleep.ts'
import type { Agent } from '../agents/agent.ts'
import { changeAgent } from '../agents/change.ts'
import { readAgent } from '../agents/find.ts'
import { healthy } from '../agents/tasks/observe.ts'
import { reconcile } from '../agents/tasks/reconcile.ts'
import { lacksWorkspace } from '../agents/workspace/lacks.ts'
import { carryOut } from './carry-out.ts'
import type { WatchdogContext } from './context.ts'
import type { Effect, WatchdogEvent } from './event.ts'
import type { Check } from './messages.ts'
import { type Probe, probe } from './probe.ts'
import { settle } from './settle.ts'

/**
 * Takes an agent's next step: what its row has missed, what was lost on its way, the check or repair that is due, and
 * sleep where it has nothing to do.
 * A message of a step that has been taken already finds another `dueAt` and only looks whether anything is missing.
 */
export async function checkAgent(
  ctx: WatchdogContext,
  check: Check,
  now = Date.now(),
): Promise<void> {
  const agent = await readAgent(ctx.table, check)
  if (agent === undefined) return
  const { dueAt } = agent.watchdog
  const due = dueAt !== null && dueAt === check.dueAt && !agent.deleting
  // A queue holds a message for fifteen minutes at most; a longer wait takes several.
  const early = due && dueAt > now + 1000
  const found = due && !early && needsProbe(agent) ? await probe(agent.address) : undefined
  // Before it counts as running, where it is just coming up.
  if (found?.healthy === true || lacksWorkspace(agent)) await ctx.tend?.(agent)
  let effects: Effect[] = []
  const stored = await changeAgent(
    ctx.table,
    agent,
    (current) => {
      const moved = current.generation !== agent.generation || current.watchdog.dueAt !== dueAt
      const seen = found?.healthy === true && !moved ? answering(current) : current
      const event = due && !early && !moved ? stepOf(ctx, seen, found, now) : undefined
      const settled = settle(seen, ctx.settings, now, event)
      effects = settled.effects
      if (!isIdle(settled.agent, now)) return settled.agent
      effects = [{ type: 'stop-task' }]
      return fallAsleep(settled.agent, ctx.settings, now)
    },
    now,
  )
  if (stored === undefined) return
  const waiting = early && stored.watchdog.dueAt === dueAt
  const rest: Effect[] = waiting ? [{ type: 'check', after: (dueAt - now) / 1000 }] : []
  await carryOut(ctx, stored, [...rest, ...effects], now)
  if (effects.every(({ type }) => type === 'check')) await reconcile(ctx, stored, now)
  // Whoever wrote into it before it ran, but after it was tended above, left that to this check. It comes last: an
  // agent that takes its time over it must not keep back what its new state calls for.
  if (!isRunning(agent) && lacksWorkspace(stored)) await ctx.tend?.(stored)
}

function needsProbe({ watchdog: { state, repair } }: Agent): boolean {
  return ['starting', 'running', 'degraded'].includes(state) || repair === 'starting'
}

/** An agent whose gateway answers runs, whatever its events have said so far. */
function answering(agent: Agent): Agent {
  const up = agent.desired === 'running' && agent.taskStatus === 'RUNNING'
  return up && agent.status === 'provisioning' ? healthy(agent) : agent
}

/** The states of a task whose container has been there to be looked at. */
const hasRun = new Set<string | undefined>(['RUNNING', 'DEACTIVATING', 'STOPPING', 'STOPPED'])

/** Whether a repair's container has not had its time yet: it may be placed long after it was asked for. */
function isComingUp({ settings }: WatchdogContext, agent: Agent, now: number): boolean {
  const { taskStatus, startedAt } = agent
  if (taskStatus !== 'RUNNING' || startedAt === undefined) return !hasRun.has(taskStatus)
  return now - Date.parse(startedAt) < settings.WATCHDOG_REPAIR_START_WAIT * 1000
}

/** What the step that was due comes to. */
function stepOf(
  ctx: WatchdogContext,
  agent: Agent,
  found: Probe | undefined,
  now: number,
): WatchdogEvent | undefined {
  const { watchdog, startAttempts = 0 } = agent
  if (watchdog.state === 'repairing' && watchdog.repair === 'stopping')
    return { type: 'repair-stop-waited' }
  if (found === undefined) return undefined
  const cause = found.healthy ? '' : found.cause
  if (watchdog.state === 'repairing' && !found.healthy && isComingUp(ctx, agent, now))
    return { type: 'repair-start-pending', cause, forCapacity: startAttempts > 0 }
  if (watchdog.state === 'repairing')
    return { type: 'repair-start-waited', healthy: found.healthy, cause }
  return found.healthy ? { type: 'check-passed' } : { type: 'check-failed', cause }
}
