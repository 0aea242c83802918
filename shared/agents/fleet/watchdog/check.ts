import { type Agent, agentKey, type AgentRef } from '#shared/agents/record/agent.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import { readAgent } from '#shared/agents/record/find.ts'
import { needsSync } from '#shared/agents/record/needs-sync.ts'
import { isRunning } from '#shared/agents/record/running.ts'
import { hasOnlyRegularChecks, placeOf, stepFrom } from '#shared/agents/record/watch/place.ts'
import { watchKey } from '#shared/agents/record/watch/write.ts'
import type { Effect, WatchdogEvent } from '#shared/agents/watchdog/event.ts'
import type { WatchdogSettings } from '#shared/agents/watchdog/settings.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { fallAsleep, idleAt, isIdle } from '../activity/sleep.ts'
import { healthy } from '../states/task-state.ts'
import { applyEffects, checkLater } from './apply-effects.ts'
import type { WatchdogContext } from './context.ts'
import { stepOf } from './look.ts'
import { type ProbeResult, probe } from './probe.ts'
import { reconcile } from './reconcile.ts'
import { settleWatchdog } from './settle.ts'
import type { Check } from './topic.ts'
import { roundMs, tickMs } from './turns.ts'

/**
 * Takes an agent's next step: missed events, lost messages, the due check or repair, and sleep if it is idle. A regular
 * check of an idle, healthy agent writes nothing. A message for an earlier step finds another `dueAt` and only checks
 * whether something is missing.
 */
export async function checkAgent(
  ctx: WatchdogContext,
  check: Check,
  now = Date.now(),
): Promise<void> {
  if (isOvertaken(ctx.settings, check, now)) return
  // A regular check can read a slightly outdated agent, because the write repeats the decision with the current agent.
  const agent = await readAgent(ctx.table, check, { consistent: check.look === undefined })
  if (agent === undefined) return forgetWatch(ctx.table, check)
  const { dueAt } = agent.watchdog
  const { probe: ask = probe } = ctx
  const due = isDue(ctx.settings, agent, check, now)
  // The queue's maximum delay is fifteen minutes, so a longer wait takes several messages.
  const early = due && check.dueAt !== null && check.dueAt > now + 1000
  const found = due && !early && needsProbe(agent) ? await ask(agent.address, agent.id) : undefined
  // Runs before a starting agent counts as running.
  if (found?.healthy === true || needsSync(agent)) await ctx.syncWorkspace?.(agent)
  let effects: Effect[] = []
  const stored = await changeAgent(ctx, {
    agent,
    decide: (current) => {
      const moved = current.generation !== agent.generation || current.watchdog.dueAt !== dueAt
      const observed = found?.healthy === true && !moved ? answering(current) : current
      const event =
        due && !early && !moved ? eventOf(ctx.settings, observed, found, now) : undefined
      const settled = settleWatchdog(observed, ctx.settings, now, event)
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
  await applyEffects(ctx, { agent: stored, effects: [...rest, ...effects] }, now)
  // A regular check was sent when nothing was missing. If something is missing now, the tick finds it and knows the
  // messages in the queue.
  const isLook = check.look !== undefined
  if (!isLook && effects.every(({ type }) => type === 'check' || type === 'observe'))
    await reconcile(ctx, stored, now)
  await awaitIdleness(ctx, stored, check, now)
  if (stored.watched === undefined && isFound(check)) await forgetWatch(ctx.table, check)
  // A request that wrote to the workspace after the call above, but before the agent ran, left the sync to this check.
  // It comes last, because a slow agent must not delay the effects of its new state.
  if (!isRunning(agent) && needsSync(stored)) await ctx.syncWorkspace?.(stored)
  await ctx.askForChannel?.(stored)
  if (found?.healthy === true && found.traffic !== undefined)
    await ctx.noteTraffic?.(agent, found.traffic, now)
}

/** Returns whether the next regular check is already due and replaces this one. */
function isOvertaken(settings: WatchdogSettings, { look }: Check, now: number): boolean {
  return look !== undefined && now - look >= roundMs(settings)
}

/** Returns whether this message is for the agent's due step or regular check. */
function isDue(
  settings: WatchdogSettings,
  agent: Agent,
  { dueAt, look }: Check,
  now: number,
): boolean {
  if (agent.deleting) return false
  // An agent that has just started was healthy then.
  if (look !== undefined)
    return hasOnlyRegularChecks(agent) && now - agent.watchdog.since >= roundMs(settings) / 2
  if (dueAt !== null) return dueAt === agent.watchdog.dueAt
  return (stepFrom(agent) ?? Infinity) <= now
}

/** Returns the event of a regular check. Undefined if the row already has this state. */
function eventOf(
  settings: WatchdogSettings,
  agent: Agent,
  found: ProbeResult | undefined,
  now: number,
): WatchdogEvent | undefined {
  const { state, failures } = agent.watchdog
  const regular = settings.WATCHDOG_CHECK_INTERVAL * 1000 >= tickMs
  const known = state === 'running' && failures === 0 && found?.healthy === true
  return known && regular ? undefined : stepOf(settings, agent, found, now)
}

/** Returns the agent with a corrected index entry of its watch. */
function placed(agent: Agent): Agent {
  return placeOf(agent) === agent.watched ? agent : { ...agent }
}

/** Sends an earlier check if the agent would be idle long before its next regular check. */
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

/** Returns whether the tick found the agent in the index. */
function isFound({ dueAt, look }: Check): boolean {
  return dueAt === null && look === undefined
}

/**
 * Removes the index entry of an agent that is deleted or no longer watched. Nothing else removes it, and each tick
 * would find it again.
 */
async function forgetWatch(table: Table, ref: AgentRef): Promise<void> {
  await tryCommit(table, {
    agent: { check: agentKey(ref), if: 'attribute_not_exists(#watched)' },
    watch: { delete: watchKey(ref) },
  })
}

function needsProbe({ watchdog: { state, repair } }: Agent): boolean {
  return ['starting', 'running', 'degraded'].includes(state) || repair === 'starting'
}

/** A response without a name may come from another container at the address of an ended one, so its task is checked. */
function doubtOf(found: ProbeResult | undefined): Effect[] {
  return found?.healthy === true && !found.named ? [{ type: 'observe' }] : []
}

/** Returns an agent whose gateway answers as running, even if its events do not show it yet. */
function answering(agent: Agent): Agent {
  const up = agent.desired === 'running' && agent.taskStatus === 'RUNNING'
  return up && agent.status === 'provisioning' ? healthy(agent) : agent
}
