import { randomUUID } from 'node:crypto'
import { Cron } from 'croner'
import type { FunctionSpec } from '#shared/manifest/index.ts'
import type { FunctionHost } from '../functions/host.ts'

export interface SchedulerOptions {
  functions: readonly FunctionSpec[]
  host: FunctionHost
  /** No schedule runs before it. Default: schedules run immediately. */
  after?: Promise<void> | undefined
  /** Returns a cron pattern; six fields begin with seconds. Default: the schedule's own minutes. */
  patternOf?(everyMinutes: number): string
  /** Called when a run fails. The next run still comes at its time. */
  onFailure(name: string, error: unknown): void
}

export interface Scheduler {
  /** Starts no more runs. Resolves when the active runs are done. */
  close(): Promise<void>
}

/** The input that EventBridge Scheduler sends, with its `<aws.scheduler.…>` attributes filled in. */
export interface ScheduledEvent {
  id: string
  /** The scheduled time of the run, ISO 8601. */
  time: string
  schedule: string
}

/**
 * Runs schedule functions at their minutes, and each once at the start, to catch up on missed runs. If a run takes
 * longer than its interval, the next one starts when it ends.
 */
export function startScheduler(options: SchedulerOptions): Scheduler {
  const { functions, host, onFailure, patternOf = cronPattern, after = Promise.resolve() } = options
  const running = new Map<string, Promise<void>>()
  /** Functions whose time came during their own run. */
  const waiting = new Set<string>()

  function fire(name: string): void {
    if (running.has(name)) {
      waiting.add(name)
      return
    }
    const event: ScheduledEvent = {
      id: randomUUID(),
      time: `${new Date().toISOString().slice(0, 19)}Z`,
      schedule: name,
    }
    const run = host
      .invoke(name, event)
      .then(
        () => undefined,
        (error: unknown) => onFailure(name, error),
      )
      .finally(() => {
        running.delete(name)
        if (waiting.delete(name)) fire(name)
      })
    running.set(name, run)
  }

  let closed = false
  let isHeld = true
  /** The first runs are sequential: in parallel, all functions would use memory at the same time. */
  let firstRuns = begin()

  async function begin(): Promise<void> {
    await after
    isHeld = false
  }

  async function fireFirst(name: string): Promise<void> {
    if (!closed && !running.has(name)) fire(name)
    await running.get(name)
  }

  const jobs = functions.flatMap(({ name, trigger }) => {
    if (trigger.kind !== 'schedule') return []
    firstRuns = firstRuns.then(() => fireFirst(name))
    return [
      new Cron(patternOf(trigger.everyMinutes), () => {
        if (!isHeld) fire(name)
      }),
    ]
  })

  return {
    async close() {
      closed = true
      for (const job of jobs) job.stop()
      waiting.clear()
      await Promise.all(running.values())
    },
  }
}

/** @param everyMinutes divides an hour, or is whole hours that divide a day, because cron's steps restart with each */
function cronPattern(everyMinutes: number): string {
  if (everyMinutes === 1) return '* * * * *'
  return everyMinutes < 60 ? `*/${everyMinutes} * * * *` : `0 */${everyMinutes / 60} * * *`
}
