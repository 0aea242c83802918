import type { Agent } from '#shared/agents/record/agent.ts'
import { sleepAfter } from '#shared/agents/record/config/sleep.ts'
import { rested } from '#shared/agents/watchdog/forgive.ts'
import { isoOf } from '#shared/platform/times.ts'
import { stopped } from '../states/end.ts'
import { leaseTailMs } from './lease.ts'

/**
 * Returns the time since which an agent is idle, in epoch milliseconds: never too early, and at most two minutes late.
 */
function idleSince({ startedAt, lastActiveAt, busyUntil }: Agent): number {
  const times = [startedAt, lastActiveAt].map((at) => (at === undefined ? 0 : Date.parse(at)))
  return Math.max(...times, (busyUntil ?? 0) - leaseTailMs)
}

/** Returns whether an agent runs, is healthy, and is idle for as long as its config requires. */
export function isIdle(agent: Agent, now: number): boolean {
  const at = idleAt(agent)
  return at !== undefined && at <= now
}

/**
 * Returns the time when the agent falls asleep without new work, in epoch milliseconds. Undefined if it never sleeps.
 */
export function idleAt(agent: Agent): number | undefined {
  const minutes = sleepAfter(agent)
  if (minutes === undefined || agent.deleting || agent.desired !== 'running') return undefined
  if (agent.status !== 'running' || agent.watchdog.state !== 'running') return undefined
  return Math.max(agent.busyUntil ?? 0, idleSince(agent) + minutes * 60_000)
}

/** Returns the agent as asleep: stopped, with an invalid key. The next request wakes it. */
export function fallAsleep(agent: Agent, now: number): Agent {
  const minutes = sleepAfter(agent)
  const text = `It slept after ${minutes === 1 ? 'a minute' : `${minutes} minutes`} without work`
  return asleep(agent, text, now)
}

/** The minimum idle time, in milliseconds, before an agent goes to sleep to make room for another one. */
const minIdleMs = 60_000

/**
 * Returns the time since which an agent is idle, if it can make room for another one: it runs, is healthy, can sleep
 * and is not busy.
 * @returns epoch milliseconds; undefined if it cannot
 */
export function yieldsSince(agent: Agent, now: number): number | undefined {
  if (idleAt(agent) === undefined || (agent.busyUntil ?? 0) > now) return undefined
  const since = idleSince(agent)
  return since + minIdleMs <= now ? since : undefined
}

/** Returns the agent as asleep, because its owner's plan limits the number of awake agents. */
export function sleepForLimit(agent: Agent, now: number): Agent {
  return asleep(
    agent,
    'It slept so that another agent could be awake: the plan limits awake agents',
    now,
  )
}

function asleep(agent: Agent, text: string, now: number): Agent {
  const at = isoOf(now)
  const stopReason = { code: 'Asleep', exitCode: null, text, at }
  return { ...stopped(agent), asleep: true, stopReason, watchdog: rested(agent.watchdog, now) }
}
