import type { Effect, Fallbacks, Silence } from './event.ts'
import { entered, withoutFailures, resolved, rested } from './forgive.ts'
import { markedIncident, withNotice, openedIncident, openIncident } from './incidents.ts'
import type { DueNotice, Fallback, Incident, State, Watchdog } from './schema.ts'
import type { WatchdogSettings } from './settings.ts'

/** waitForHealthy: a start is checked every 2 s, and counts as failed after 60 s of silence. */
const startPollSeconds = 2
const startGraceSeconds = 60

/** contract.md 8: the number of failed checks that turns degraded into repairing. */
const degradedFailures = 3

/** The maximum time to place a container and pull its image. A container that has not started by then never starts. */
const longestPlacementSeconds = 300

/**
 * The longest time between two checks of an agent that waits for capacity. After a longer time its start would count as
 * lost.
 */
const longestWaitSeconds = 20

/** The longest time between two requests for the state of a task. The interval grows, because ECS may be overloaded. */
const longestQuestionSeconds = 60

/** A transition in progress. Each method is one move of the table in contract.md 8. */
export class Step {
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
    this.next = withoutFailures(this.next, this.now)
  }

  rest(): void {
    this.next = rested(this.next, this.now)
  }

  /** A repair cannot help: the agent waits for a person, who finds the cause in the incident. */
  refuse(cause: string): void {
    this.open(cause)
    this.enter('stopped')
    this.next.dueAt = null
  }

  pass(): void {
    const { dueAt } = this.next
    this.next.failures = 0
    if (this.in('running')) {
      this.watch(dueAt)
      return
    }
    this.resolve()
    this.enter('running')
    this.next.attempts = 0
    this.watch()
  }

  /**
   * The tick runs every minute, so only a shorter interval needs its own message. The next check is due one interval
   * after the previous due time, not after the check itself: otherwise the tick at that time would always be a little
   * too early. It is never later than one interval, because one check can find both that an agent has started and that
   * it is healthy.
   */
  private watch(dueAt: number | null = null): void {
    const after = this.settings.WATCHDOG_CHECK_INTERVAL
    if (after < 60) return this.checkAfter(after)
    const intervalMs = after * 1000
    // After an outage the schedule starts again and missed checks are not repeated.
    const onTime = dueAt !== null && this.now - dueAt < 2 * intervalMs
    this.next.dueAt = Math.min(onTime ? dueAt : this.now, this.now) + intervalMs
    return undefined
  }

  fail({ cause, mayBeLost }: Silence): void {
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
    if (failures >= limit && this.mayRepair()) this.unlessLost(mayBeLost, () => this.repair(cause))
    // Requested one check earlier, so that the response arrives in time.
    else if (failures === limit - 1) this.ask()
    else this.checkAfter(this.settings.WATCHDOG_DEGRADED_CHECK_INTERVAL)
  }

  private unlessLost(mayBeLost: boolean | undefined, failed: () => void): void {
    if (mayBeLost === true) this.ask()
    else failed()
  }

  /** Repeats the request, because it can be lost, at growing intervals. */
  private ask(): void {
    this.next.askedAt ??= this.now
    const waited = Math.ceil((this.now - this.next.askedAt) / 1000)
    const least = this.settings.WATCHDOG_DEGRADED_CHECK_INTERVAL
    this.effects.push({ type: 'observe' })
    this.checkAfter(Math.max(least, Math.min(waited, longestQuestionSeconds)))
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

  /** Settings on trial are replaced even if repair is disabled. */
  private mayRepair(): boolean {
    return this.settings.WATCHDOG_AUTO_REPAIR || this.fallbacks.isImmediate
  }

  /** The first step of the repair sequence: stop the container, wait, start a new one, wait, check. */
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
    const { steps, isImmediate } = this.fallbacks
    return attempt === 1 && !isImmediate ? 'restart' : (steps[0] ?? 'restart')
  }

  restart(): void {
    const step = openIncident(this.next)?.step
    const back = step === 'healthy_config' || step === 'healthy_image'
    this.next.repair = 'starting'
    this.effects.push({ type: 'start-task', ...(back && { fallback: step }) })
    this.checkAfter(this.settings.WATCHDOG_REPAIR_START_WAIT)
  }

  /**
   * An agent waits for capacity as long as necessary, with increasing intervals between checks. This is not the agent's
   * fault.
   */
  waitOn({ cause, forCapacity, mayBeLost }: Silence & { forCapacity: boolean }): void {
    const least = this.settings.WATCHDOG_DEGRADED_CHECK_INTERVAL
    const waited = (this.now - this.next.since) / 1000
    if (forCapacity)
      this.checkAfter(Math.max(least, Math.min(Math.ceil(waited / 2), longestWaitSeconds)))
    else if (waited < longestPlacementSeconds) this.checkAfter(least)
    else this.unlessLost(mayBeLost, () => this.attemptFailed(cause))
  }

  verify({ healthy, cause, mayBeLost }: Silence & { healthy: boolean }): void {
    if (!healthy) {
      this.unlessLost(mayBeLost, () => this.attemptFailed(cause))
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
    this.next = entered(this.next, state, this.now)
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
    this.next = resolved(this.next, this.now)
  }

  private notify(kind: DueNotice['kind'], cause: string): void {
    this.next = withNotice(this.next, kind, cause)
  }
}
