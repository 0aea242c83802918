import { randomUUID } from 'node:crypto'
import { Cron } from 'croner'
import type { FunctionSpec } from '../../../shared/manifest/index.ts'
import type { FunctionHost } from '../functions/host.ts'

export interface SchedulerOptions {
  functions: readonly FunctionSpec[]
  host: FunctionHost
  /** When a schedule runs, in cron's notation, with seconds in front where there are six fields. Default: at its minutes. */
  patternOf?(everyMinutes: number): string
  /** A run that failed; the next one comes at its time all the same. */
  onFailure(name: string, error: unknown): void
}

export interface Scheduler {
  /** Starts no run any more; resolves once the runs under way are done with. */
  close(): Promise<void>
}

/** What EventBridge Scheduler is told to send: `<aws.scheduler.…>` attributes filled in. */
export interface ScheduledEvent {
  id: string
  /** The minute that the run is for, ISO 8601. */
  time: string
  schedule: string
}

/**
 * Runs schedule functions at their minutes, and each once right after the start, so that what was missed while nothing
 * ran is caught up. A run that takes longer than its interval is not overtaken by the next, which comes at its end.
 */
export function startScheduler(options: SchedulerOptions): Scheduler {
  const { functions, host, onFailure, patternOf = cronPattern } = options
  const running = new Map<string, Promise<void>>()
  /** Those whose minute came while they ran. */
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
  /** One after the other: all at once would hold the memory of all. */
  let firstRuns = Promise.resolve()

  async function fireFirst(name: string): Promise<void> {
    if (!closed && !running.has(name)) fire(name)
    await running.get(name)
  }

  const jobs = functions.flatMap(({ name, trigger }) => {
    if (trigger.kind !== 'schedule') return []
    firstRuns = firstRuns.then(() => fireFirst(name))
    return [new Cron(patternOf(trigger.everyMinutes), () => fire(name))]
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

/** @param everyMinutes divides an hour or is whole hours that divide a day: cron's steps start anew with each */
function cronPattern(everyMinutes: number): string {
  if (everyMinutes === 1) return '* * * * *'
  return everyMinutes < 60 ? `*/${everyMinutes} * * * *` : `0 */${everyMinutes / 60} * * *`
}
