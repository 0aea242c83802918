import type { WatchdogSettings } from '../../watchdog/settings.ts'
import { transition } from '../../watchdog/transition.ts'
import type { Agent } from '../../agents/agent.ts'
import { stopped } from '../lifecycle/end.ts'
import type { DueAgent } from '../watchdog/due-agent.ts'
import { leaseTailMs } from './lease.ts'

/** Minutes without work after which an agent sleeps; undefined for one that never does. */
function sleepAfter({ config: { sleepAfterMinutes } }: DueAgent): number | undefined {
  return typeof sleepAfterMinutes === 'number' && sleepAfterMinutes > 0
    ? sleepAfterMinutes
    : undefined
}

/** Since when an agent has had no work, in epoch milliseconds: never too early, at most two minutes late. */
function idleSince({ startedAt, lastActiveAt, busyUntil }: DueAgent): number {
  const times = [startedAt, lastActiveAt].map((at) => (at === undefined ? 0 : Date.parse(at)))
  return Math.max(...times, (busyUntil ?? 0) - leaseTailMs)
}

/** Whether an agent runs, is well, and has had nothing to do for as long as its config says. */
export function isIdle(agent: DueAgent, now: number): boolean {
  const minutes = sleepAfter(agent)
  if (minutes === undefined || agent.deleting || agent.desired !== 'running') return false
  if (agent.status !== 'running' || agent.watchdog.state !== 'running') return false
  return (agent.busyUntil ?? 0) <= now && now - idleSince(agent) >= minutes * 60_000
}

/** The agent as one that sleeps: stopped, its key void. The next request to it wakes it. */
export function fallAsleep(agent: Agent, settings: WatchdogSettings, now: number): Agent {
  const { watchdog } = transition(agent.watchdog, { type: 'fell-asleep' }, settings, now)
  const minutes = sleepAfter(agent)
  const text = `It slept after ${minutes === 1 ? 'a minute' : `${minutes} minutes`} without work`
  const at = new Date(now).toISOString()
  const stopReason = { code: 'Asleep', exitCode: null, text, at }
  return { ...stopped(agent), asleep: true, stopReason, watchdog }
}
