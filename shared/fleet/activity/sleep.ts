import { rested } from '../../watchdog/forgive.ts'
import type { Agent } from '../../agents/agent.ts'
import { sleepAfter } from '../../agents/config/sleep.ts'
import { stopped } from '../lifecycle/end.ts'
import { leaseTailMs } from './lease.ts'

/** Since when an agent has had no work, in epoch milliseconds: never too early, at most two minutes late. */
function idleSince({ startedAt, lastActiveAt, busyUntil }: Agent): number {
  const times = [startedAt, lastActiveAt].map((at) => (at === undefined ? 0 : Date.parse(at)))
  return Math.max(...times, (busyUntil ?? 0) - leaseTailMs)
}

/** Whether an agent runs, is well, and has had nothing to do for as long as its config says. */
export function isIdle(agent: Agent, now: number): boolean {
  const at = idleAt(agent)
  return at !== undefined && at <= now
}

/** When that will be, unless there is work until then, in epoch milliseconds; undefined for one that does not sleep. */
export function idleAt(agent: Agent): number | undefined {
  const minutes = sleepAfter(agent)
  if (minutes === undefined || agent.deleting || agent.desired !== 'running') return undefined
  if (agent.status !== 'running' || agent.watchdog.state !== 'running') return undefined
  return Math.max(agent.busyUntil ?? 0, idleSince(agent) + minutes * 60_000)
}

/** The agent as one that sleeps: stopped, its key void. The next request to it wakes it. */
export function fallAsleep(agent: Agent, now: number): Agent {
  const minutes = sleepAfter(agent)
  const text = `It slept after ${minutes === 1 ? 'a minute' : `${minutes} minutes`} without work`
  return asleep(agent, text, now)
}

/** An agent goes to sleep for another one only after so many milliseconds without work. */
const leastIdleMs = 60_000

/**
 * Since when an agent has had no work, if it may go to sleep for another one: it runs, is well, may sleep and is not busy.
 * @returns epoch milliseconds; undefined where it may not
 */
export function yieldsSince(agent: Agent, now: number): number | undefined {
  if (idleAt(agent) === undefined || (agent.busyUntil ?? 0) > now) return undefined
  const since = idleSince(agent)
  return since + leastIdleMs <= now ? since : undefined
}

/** The agent as one that sleeps because its owner's plan lets no more agents be awake. */
export function giveWay(agent: Agent, now: number): Agent {
  return asleep(
    agent,
    'It slept as another agent was to be awake, of as many as the plan allows',
    now,
  )
}

function asleep(agent: Agent, text: string, now: number): Agent {
  const at = new Date(now).toISOString()
  const stopReason = { code: 'Asleep', exitCode: null, text, at }
  return { ...stopped(agent), asleep: true, stopReason, watchdog: rested(agent.watchdog, now) }
}
