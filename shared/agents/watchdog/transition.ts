import type { Fallbacks, Transition, WatchdogEvent } from './event.ts'
import type { Watchdog } from './schema.ts'
import type { WatchdogSettings } from './settings.ts'
import { Step } from './step.ts'

const noFallbacks: Fallbacks = { steps: [], isImmediate: false }

/**
 * The watchdog's whole state machine, without a clock or side effects. Each repair attempt takes the next step: a
 * restart, then each of `fallbacks`, then more restarts up to WATCHDOG_MAX_REPAIR_ATTEMPTS. The last healthy settings
 * are always tried before the watchdog gives the agent up, even if other settings have used up all attempts. Before a
 * silent container counts as failed, the state of its task is requested: a task that is gone with its host does not
 * count as an attempt, whether a check or an event detects it first.
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
      // If a repair stops the container, the container's end is not a crash, with any exit code.
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
