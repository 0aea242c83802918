import { isRunning } from '../../agents/running.ts'
import { fallAsleep, isIdle } from '../activity/sleep.ts'
import type { Agent } from '../../agents/agent.ts'
import { changeAgent } from '../../agents/change.ts'
import { readAgent } from '../../agents/find.ts'
import { healthy } from '../tasks/observe.ts'
import { reconcile } from '../tasks/reconcile.ts'
import { needsSync } from '../../agents/needs-sync.ts'
import { carryOut } from './carry-out.ts'
import type { WatchdogContext } from './context.ts'
import type { Effect } from '../../watchdog/event.ts'
import { stepOf } from './look.ts'
import type { Check } from './topic.ts'
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
  const found =
    due && !early && needsProbe(agent) ? await probe(agent.address, agent.id) : undefined
  // Before it counts as running, where it is just coming up.
  if (found?.healthy === true || needsSync(agent)) await ctx.syncWorkspace?.(agent)
  let effects: Effect[] = []
  const stored = await changeAgent(ctx, {
    agent,
    decide: (current) => {
      const moved = current.generation !== agent.generation || current.watchdog.dueAt !== dueAt
      const seen = found?.healthy === true && !moved ? answering(current) : current
      const event = due && !early && !moved ? stepOf(ctx.settings, seen, found, now) : undefined
      const settled = settle(seen, ctx.settings, now, event)
      effects = [...settled.effects, ...doubtOf(moved ? undefined : found)]
      if (!isIdle(settled.agent, now)) return settled.agent
      effects = [{ type: 'stop-task' }]
      return fallAsleep(settled.agent, ctx.settings, now)
    },
    now,
  })
  if (stored === undefined) return
  const waiting = early && stored.watchdog.dueAt === dueAt
  const rest: Effect[] = waiting ? [{ type: 'check', after: (dueAt - now) / 1000 }] : []
  await carryOut(ctx, { agent: stored, effects: [...rest, ...effects] }, now)
  if (effects.every(({ type }) => type === 'check' || type === 'observe'))
    await reconcile(ctx, stored, now)
  // A request that wrote into its workspace before it ran, but after the call above, left that to this check. It comes
  // last: an agent that takes its time over it must not keep back what its new state calls for.
  if (!isRunning(agent) && needsSync(stored)) await ctx.syncWorkspace?.(stored)
}

function needsProbe({ watchdog: { state, repair } }: Agent): boolean {
  return ['starting', 'running', 'degraded'].includes(state) || repair === 'starting'
}

/** What answers without a name may be another container, at the address of one that has ended: its task tells. */
function doubtOf(found: Probe | undefined): Effect[] {
  return found?.healthy === true && !found.named ? [{ type: 'observe' }] : []
}

/** An agent whose gateway answers runs, even where its events have not said so yet. */
function answering(agent: Agent): Agent {
  const up = agent.desired === 'running' && agent.taskStatus === 'RUNNING'
  return up && agent.status === 'provisioning' ? healthy(agent) : agent
}
