import type { Agent } from '#shared/agents/record/agent.ts'
import { missedEvent } from '#shared/agents/record/watch/missed-event.ts'
import type { Effect, WatchdogEvent } from '#shared/agents/watchdog/event.ts'
import type { Fallback } from '#shared/agents/watchdog/schema.ts'
import type { WatchdogSettings } from '#shared/agents/watchdog/settings.ts'
import { transition } from '#shared/agents/watchdog/transition.ts'
import { isoOf } from '#shared/platform/times.ts'
import { asFailed } from '../states/end.ts'
import { fallBack, fallbacksOf } from '../states/fallback.ts'
import { nextGeneration } from '../states/generation.ts'

export interface SettledAgent {
  agent: Agent
  /** The effects to carry out after the agent is stored. */
  effects: Effect[]
}

/**
 * The maximum number of events applied at once. No row needs so many, because each event leads to a state that handles
 * it.
 */
const maxEvents = 8

/**
 * Brings an agent's watchdog up to date with the agent's row, then applies `event`. If the row requires a new start,
 * `event` is dropped, because it belongs to the previous container. The function has no effects: a new start or a
 * failure is part of the returned row, so that it is stored together with the state that caused it.
 */
export function settleWatchdog(
  agent: Agent,
  settings: WatchdogSettings,
  now: number,
  event?: WatchdogEvent,
): SettledAgent {
  let settled: SettledAgent = { agent, effects: [] }
  for (let i = 0; i < maxEvents; i++) {
    const missed = missedEvent(settled.agent)
    if (missed === undefined) break
    settled = apply(settled, missed, settings, now)
  }
  const isAnew = settled.agent.generation !== agent.generation
  return event === undefined || isAnew ? settled : apply(settled, event, settings, now)
}

function apply(
  { agent, effects }: SettledAgent,
  event: WatchdogEvent,
  settings: WatchdogSettings,
  now: number,
): SettledAgent {
  const back = fallbacksOf(agent)
  const { watchdog, effects: more } = transition(agent.watchdog, event, settings, now, back)
  let next: Agent = { ...agent, watchdog }
  for (const effect of more) {
    if (effect.type === 'start-task') next = startAnew(next, effect.fallback)
    if (effect.type === 'give-up') next = giveUp(next, effect.cause, now)
  }
  return { agent: next, effects: [...effects, ...more] }
}

function startAnew(agent: Agent, fallback: Fallback | undefined): Agent {
  return nextGeneration(fallback === undefined ? agent : fallBack(agent, fallback))
}

/** The stop reason from ECS is more precise and is kept. */
function giveUp(agent: Agent, cause: string, now: number): Agent {
  const at = isoOf(now)
  const taskReason = agent.taskStatus === 'STOPPED' ? agent.stopReason : undefined
  return asFailed(agent, taskReason ?? { code: 'CrashLoop', exitCode: null, text: cause, at })
}
