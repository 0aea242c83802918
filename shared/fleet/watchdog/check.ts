import { isRunning } from '../../agents/running.ts'
import { fallAsleep, idleAt, isIdle } from '../activity/sleep.ts'
import { type Agent, agentKey, type AgentRef } from '../../agents/agent.ts'
import { changeAgent } from '../../agents/change.ts'
import { readAgent } from '../../agents/find.ts'
import { isLookedAt, placeOf, stepFrom } from '../../agents/watch/place.ts'
import { watchKey } from '../../agents/watch/write.ts'
import { tryCommit } from '../../platform/table/commit.ts'
import type { Table } from '../../platform/table/port.ts'
import { healthy } from '../tasks/observe.ts'
import { reconcile } from '../tasks/reconcile.ts'
import { needsSync } from '../../agents/needs-sync.ts'
import { carryOut, checkLater } from './carry-out.ts'
import type { WatchdogContext } from './context.ts'
import type { Effect, WatchdogEvent } from '../../watchdog/event.ts'
import type { WatchdogSettings } from '../../watchdog/settings.ts'
import { stepOf } from './look.ts'
import type { Check } from './topic.ts'
import { type Probe, probe } from './probe.ts'
import { settle } from './settle.ts'
import { roundMs, tickMs } from './turns.ts'

/**
 * Takes an agent's next step: what its row has missed, what was lost on its way, the check or repair that is due, and
 * sleep where it has nothing to do. A regular look at an agent that is well and has nothing to do writes nothing.
 * A message of a step that has been taken already finds another `dueAt` and only looks whether anything is missing.
 */
export async function checkAgent(
  ctx: WatchdogContext,
  check: Check,
  now = Date.now(),
): Promise<void> {
  if (isOvertaken(ctx.settings, check, now)) return
  // A look may see the agent as it was a moment ago: what it decides by that is decided again where it is written.
  const agent = await readAgent(ctx.table, check, { consistent: check.look === undefined })
  if (agent === undefined) return forgetWatch(ctx.table, check)
  const { dueAt } = agent.watchdog
  const { probe: ask = probe } = ctx
  const due = isDue(ctx.settings, agent, check, now)
  // A queue holds a message for fifteen minutes at most; a longer wait takes several.
  const early = due && check.dueAt !== null && check.dueAt > now + 1000
  const found = due && !early && needsProbe(agent) ? await ask(agent.address, agent.id) : undefined
  // Before it counts as running, where it is just coming up.
  if (found?.healthy === true || needsSync(agent)) await ctx.syncWorkspace?.(agent)
  let effects: Effect[] = []
  const stored = await changeAgent(ctx, {
    agent,
    decide: (current) => {
      const moved = current.generation !== agent.generation || current.watchdog.dueAt !== dueAt
      const seen = found?.healthy === true && !moved ? answering(current) : current
      const event = due && !early && !moved ? eventOf(ctx.settings, seen, found, now) : undefined
      const settled = settle(seen, ctx.settings, now, event)
      effects = [...settled.effects, ...doubtOf(moved ? undefined : found)]
      if (!isIdle(settled.agent, now))
        return settled.agent === current ? placed(current) : settled.agent
      effects = [{ type: 'stop-task' }]
      return fallAsleep(settled.agent, now)
    },
    now,
  })
  if (stored === undefined) return
  const waiting = early && stored.watchdog.dueAt === dueAt
  const rest: Effect[] = waiting ? [{ type: 'check', after: ((dueAt ?? now) - now) / 1000 }] : []
  await carryOut(ctx, { agent: stored, effects: [...rest, ...effects] }, now)
  // What an agent lacks the tick finds, and knows what still waits: a look was asked for while nothing was lacking.
  const isLook = check.look !== undefined
  if (!isLook && effects.every(({ type }) => type === 'check' || type === 'observe'))
    await reconcile(ctx, stored, now)
  await awaitIdleness(ctx, stored, check, now)
  if (stored.watched === undefined && isFound(check)) await forgetWatch(ctx.table, check)
  // A request that wrote into its workspace before it ran, but after the call above, left that to this check. It comes
  // last: an agent that takes its time over it must not keep back what its new state calls for.
  if (!isRunning(agent) && needsSync(stored)) await ctx.syncWorkspace?.(stored)
}

/** A look whose next one is due by now: that one takes its place. */
function isOvertaken(settings: WatchdogSettings, { look }: Check, now: number): boolean {
  return look !== undefined && now - look >= roundMs(settings)
}

/** Whether the agent's step or regular look is due by this message. */
function isDue(
  settings: WatchdogSettings,
  agent: Agent,
  { dueAt, look }: Check,
  now: number,
): boolean {
  if (agent.deleting) return false
  // One that has just come up was seen to be well then.
  if (look !== undefined)
    return isLookedAt(agent) && now - agent.watchdog.since >= roundMs(settings) / 2
  if (dueAt !== null) return dueAt === agent.watchdog.dueAt
  return (stepFrom(agent) ?? Infinity) <= now
}

/** What a look has found; undefined where that is what the row says already. */
function eventOf(
  settings: WatchdogSettings,
  agent: Agent,
  found: Probe | undefined,
  now: number,
): WatchdogEvent | undefined {
  const { state, failures } = agent.watchdog
  const regular = settings.WATCHDOG_CHECK_INTERVAL * 1000 >= tickMs
  const known = state === 'running' && failures === 0 && found?.healthy === true
  return known && regular ? undefined : stepOf(settings, agent, found, now)
}

/** An agent of which nothing else is to be written, with its watch where it should be. */
function placed(agent: Agent): Agent {
  return placeOf(agent) === agent.watched ? agent : { ...agent }
}

/** An agent that will have had nothing to do for long before its next look is seen to in time. */
async function awaitIdleness(
  ctx: WatchdogContext,
  agent: Agent,
  { userId, agentId, look }: Check,
  now: number,
): Promise<void> {
  const at = look === undefined ? undefined : idleAt(agent)
  if (at === undefined || at <= now || at > now + roundMs(ctx.settings)) return
  await checkLater(ctx, { userId, agentId, dueAt: null }, (at - now) / 1000)
}

/** Whether the tick has found the agent in the index. */
function isFound({ dueAt, look }: Check): boolean {
  return dueAt === null && look === undefined
}

/** Removes a watch whose agent is gone, or says that it has none: nothing else would, and each tick finds it. */
async function forgetWatch(table: Table, ref: AgentRef): Promise<void> {
  await tryCommit(table, {
    agent: { check: agentKey(ref), if: 'attribute_not_exists(#watched)' },
    watch: { delete: watchKey(ref) },
  })
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
