import type { Fallbacks, Transition, WatchdogEvent } from './event.ts'
import type { Watchdog } from './schema.ts'
import type { WatchdogSettings } from './settings.ts'
import { Step } from './step.ts'

const noFallbacks: Fallbacks = { steps: [], atOnce: false }

/**
 * The watchdog's whole state machine: no clock of its own, no effect carried out.
 *
 * A repair climbs a ladder, a rung an attempt: a restart, then each of `fallbacks`, then more restarts while
 * WATCHDOG_MAX_REPAIR_ATTEMPTS allows. What was well before is always tried before the agent is given up, and crashes
 * of something else do not count against it. Before a silent container counts as failed, it asks whether that is there
 * at all: one that went away with its machine is no attempt, no matter whether a check or an event tells of that first.
 */
export function transition(
  before: Watchdog,
  event: WatchdogEvent,
  settings: WatchdogSettings,
  now: number,
  fallbacks: Fallbacks = noFallbacks,
): Transition {
  const step = new Step(before, settings, now, fallbacks)
  switch (event.type) {
    case 'task-started':
      step.next.generation = event.generation
      if (step.in('starting', 'running', 'degraded')) step.start()
      break
    case 'started-by-person':
      step.forgive()
      break
    case 'stopped-by-person':
    case 'fell-asleep':
      step.rest()
      break
    case 'start-refused':
      if (step.in('starting')) step.refuse(event.cause)
      break
    case 'host-lost':
      if (!step.in('stopped', 'crash_loop')) step.startOver()
      break
    case 'check-passed':
      if (step.in('starting', 'running', 'degraded')) step.pass()
      break
    case 'check-failed':
      if (step.in('starting', 'running', 'degraded')) step.fail(event)
      break
    case 'crashed':
      // A repair that stops its container expects it to end, with any exit code.
      if (!step.in('stopped', 'crash_loop') && !step.repairs('stopping')) step.crash(event.cause)
      break
    case 'repair-stop-waited':
      if (step.repairs('stopping')) step.restart()
      break
    case 'repair-start-waited':
      if (step.repairs('starting')) step.verify(event)
      break
    case 'repair-start-pending':
      if (step.repairs('starting')) step.waitOn(event)
      break
  }
  return { watchdog: step.next, effects: step.effects }
}
