import { markedIncident, notified, openedIncident, openIncident } from './incidents.ts'
import type { Effect, Fallbacks, Transition, WatchdogEvent } from './event.ts'
import type { DueNotice, Fallback, Incident, State, Watchdog } from './schema.ts'

/** The watchdog's settings, in seconds and counts: spec.md, Limits. */
export interface WatchdogSettings {
  WATCHDOG_AUTO_REPAIR: boolean
  WATCHDOG_CHECK_INTERVAL: number
  WATCHDOG_DEGRADED_CHECK_INTERVAL: number
  WATCHDOG_STARTUP_FAILURE_THRESHOLD: number
  WATCHDOG_MAX_REPAIR_ATTEMPTS: number
  WATCHDOG_CRASH_LOOP_WINDOW: number
  WATCHDOG_CRASH_LOOP_THRESHOLD: number
  WATCHDOG_REPAIR_STOP_WAIT: number
  WATCHDOG_REPAIR_START_WAIT: number
}

/** waitForHealthy: a start polls every 2 s, and only what is still silent after 60 s counts as failed. */
const startPollSeconds = 2
const startGraceSeconds = 60

const noFallbacks: Fallbacks = { steps: [], atOnce: false }

/** contract.md 8: degraded turns into repairing after this many failed checks. */
const degradedFailures = 3

/** A container may take its time to be fetched and placed; one that is not there after so long never will be. */
const longestPlacementSeconds = 300

/**
 * The watchdog's whole state machine: no clock of its own, no effect carried out.
 *
 * A repair climbs a ladder, a rung an attempt: a restart, then each of `fallbacks`, then more restarts while
 * WATCHDOG_MAX_REPAIR_ATTEMPTS allows. What was well before is always tried before the agent is given up, and crashes
 * of something else do not count against it.
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
    case 'ground-lost':
      if (!step.in('stopped', 'crash_loop')) step.startOver()
      break
    case 'check-passed':
      if (step.in('starting', 'running', 'degraded')) step.pass()
      break
    case 'check-failed':
      if (step.in('starting', 'running', 'degraded')) step.fail(event.cause)
      break
    case 'crashed':
      // What a repair stops ends, whatever it says of its end.
      if (!step.in('stopped', 'crash_loop') && !step.repairs('stopping')) step.crash(event.cause)
      break
    case 'repair-stop-waited':
      if (step.repairs('stopping')) step.restart()
      break
    case 'repair-start-waited':
      if (step.repairs('starting')) step.verify(event.healthy, event.cause)
      break
    case 'repair-start-pending':
      if (step.repairs('starting')) step.waitOn(event.cause, event.forCapacity)
      break
  }
  return { watchdog: step.next, effects: step.effects }
}

/** One transition in the making; each method is one move of the table in contract.md 8. */
class Step {
  readonly effects: Effect[] = []
  readonly settings: WatchdogSettings
  readonly now: number
  readonly fallbacks: Fallbacks
  next: Watchdog

  constructor(before: Watchdog, settings: WatchdogSettings, now: number, fallbacks: Fallbacks) {
    this.next = structuredClone(before)
    this.settings = settings
    this.now = now
    this.fallbacks = fallbacks
  }

  in(...states: State[]): boolean {
    return states.includes(this.next.state)
  }

  repairs(repair: 'stopping' | 'starting'): boolean {
    return this.next.state === 'repairing' && this.next.repair === repair
  }

  start(): void {
    this.enter('starting')
    this.checkAfter(0)
  }

  startOver(): void {
    this.enter('starting')
    this.next.dueAt = null
    this.effects.push({ type: 'start-task' })
  }

  forgive(): void {
    this.resolve()
    this.enter('starting')
    // There is nothing to look at before its task runs.
    this.next.dueAt = null
    this.next.crashes = []
    this.next.attempts = 0
  }

  rest(): void {
    this.resolve()
    this.enter('stopped')
    this.next.attempts = 0
    this.next.dueAt = null
  }

  /** There is nothing to repair: it waits for a person, who finds the cause in the incident. */
  refuse(cause: string): void {
    this.open(cause)
    this.enter('stopped')
    this.next.dueAt = null
  }

  pass(): void {
    if (!this.in('running')) {
      this.resolve()
      this.enter('running')
      this.next.attempts = 0
    }
    this.next.failures = 0
    this.watch()
  }

  /** The tick comes every minute; only a shorter interval needs a message of its own. */
  private watch(): void {
    const after = this.settings.WATCHDOG_CHECK_INTERVAL
    if (after < 60) this.checkAfter(after)
    else this.next.dueAt = this.now + after * 1000
  }

  fail(cause: string): void {
    if (this.in('starting') && this.now - this.next.since < startGraceSeconds * 1000) {
      this.checkAfter(startPollSeconds)
      return
    }
    const failures = this.next.failures + 1
    if (this.in('running')) {
      this.open(cause)
      this.enter('degraded')
      this.notify('degraded', cause)
    }
    this.next.failures = failures
    const limit = this.in('starting')
      ? this.settings.WATCHDOG_STARTUP_FAILURE_THRESHOLD
      : degradedFailures
    if (failures >= limit && this.mayRepair()) this.repair(cause)
    else this.checkAfter(this.settings.WATCHDOG_DEGRADED_CHECK_INTERVAL)
  }

  crash(cause: string): void {
    const windowStart = this.now - this.settings.WATCHDOG_CRASH_LOOP_WINDOW * 1000
    this.next.crashes = [...this.next.crashes.filter((at) => at > windowStart), this.now]
    if (this.next.crashes.length >= this.settings.WATCHDOG_CRASH_LOOP_THRESHOLD) {
      this.giveUp(cause)
    } else if (this.in('repairing')) {
      this.attemptFailed(cause)
    } else if (this.mayRepair()) {
      this.repair(cause)
    } else {
      this.open(cause)
      this.enter('degraded')
      this.next.dueAt = null
      this.notify('degraded', cause)
      this.effects.push({ type: 'give-up', cause })
    }
  }

  /** What was only on trial is taken back in any case. */
  private mayRepair(): boolean {
    return this.settings.WATCHDOG_AUTO_REPAIR || this.fallbacks.atOnce
  }

  /** The first step of the repair sequence: stop what is left, wait, start anew, wait, look. */
  repair(cause: string): void {
    this.open(cause)
    if (!this.in('repairing')) this.next.attempts = 0
    const attempt = this.next.attempts + 1
    const rung = this.rung(attempt)
    this.enter('repairing')
    this.next.attempts = attempt
    this.next.repair = 'stopping'
    if (rung !== 'restart') this.next.crashes = []
    this.mark(rung, attempt)
    this.notify('repair_started', cause)
    this.effects.push({ type: 'stop-task' })
    this.checkAfter(this.settings.WATCHDOG_REPAIR_STOP_WAIT)
  }

  private rung(attempt: number): 'restart' | Fallback {
    const { steps, atOnce } = this.fallbacks
    return attempt === 1 && !atOnce ? 'restart' : (steps[0] ?? 'restart')
  }

  restart(): void {
    const step = openIncident(this.next)?.step
    const back = step === 'healthy_config' || step === 'healthy_image'
    this.next.repair = 'starting'
    this.effects.push({ type: 'start-task', ...(back && { fallback: step }) })
    this.checkAfter(this.settings.WATCHDOG_REPAIR_START_WAIT)
  }

  /** Room is waited for as long as it takes; it is no fault of the agent's. */
  waitOn(cause: string, forCapacity: boolean): void {
    if (forCapacity || this.now - this.next.since < longestPlacementSeconds * 1000)
      this.checkAfter(this.settings.WATCHDOG_DEGRADED_CHECK_INTERVAL)
    else this.attemptFailed(cause)
  }

  verify(healthy: boolean, cause: string): void {
    if (!healthy) {
      this.attemptFailed(cause)
      return
    }
    this.notify('repaired', openIncident(this.next)?.cause ?? cause)
    this.resolve()
    this.enter('running')
    this.next.attempts = 0
    this.watch()
  }

  attemptFailed(cause: string): void {
    this.notify('repair_failed', cause)
    const untried = this.fallbacks.steps.length > 0
    if (untried || this.next.attempts < this.settings.WATCHDOG_MAX_REPAIR_ATTEMPTS)
      this.repair(cause)
    else this.giveUp(cause)
  }

  giveUp(cause: string): void {
    this.open(cause)
    this.mark('crash_loop', this.next.attempts)
    this.enter('crash_loop')
    this.next.dueAt = null
    this.notify('crash_loop', cause)
    this.effects.push({ type: 'stop-task' }, { type: 'give-up', cause })
  }

  private enter(state: State): void {
    this.next.state = state
    this.next.since = this.now
    this.next.failures = 0
    this.next.repair = null
  }

  private checkAfter(after: number): void {
    this.next.dueAt = this.now + after * 1000
    this.effects.push({ type: 'check', after })
  }

  private open(cause: string): void {
    this.next = openedIncident(this.next, cause, this.now)
  }

  private mark(step: Incident['step'], attempt: number): void {
    this.next = markedIncident(this.next, { step, attempt })
  }

  private resolve(): void {
    this.next = markedIncident(this.next, { resolvedAt: new Date(this.now).toISOString() })
  }

  private notify(kind: DueNotice['kind'], cause: string): void {
    this.next = notified(this.next, kind, cause)
  }
}
