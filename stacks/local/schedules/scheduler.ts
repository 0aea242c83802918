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

/** The maximum delay of a run by the one before it, in milliseconds, so that a long run does not hold up the others. */
const turnMs = 1000

/**
 * Runs schedule functions at their minutes, and each once at the start, to catch up on missed runs. If a run takes
 * longer than its interval, the next one starts when it ends.
 */
export function startScheduler(options: SchedulerOptions): Scheduler {
  const { functions, host, onFailure, patternOf = cronPattern, after = Promise.resolve() } = options
  const running = new Map<string, Promise<void>>()
  /** Functions whose time came, and whose turn has not. */
  const due = new Set<string>()
  /** Functions whose time came during their own run. */
  const waiting = new Set<string>()
  let closed = false
  /**
   * Resolves when the next run may start. If the functions of a minute started together, their threads would need 200 MB
   * at the same time, and V8 would keep that memory for 8 s after they end.
   */
  let turns = after

  function run(name: string, time: string): Promise<void> {
    const event: ScheduledEvent = { id: randomUUID(), time, schedule: name }
    const ended = host
      .invoke(name, event)
      .then(
        () => undefined,
        (error: unknown) => onFailure(name, error),
      )
      .finally(() => {
        running.delete(name)
        if (waiting.delete(name)) request(name)
      })
    running.set(name, ended)
    return ended
  }

  async function takeTurn(name: string, time: string): Promise<void> {
    due.delete(name)
    if (closed) return
    await settledWithin(turnMs, run(name, time))
  }

  function request(name: string): void {
    if (due.has(name)) return
    if (running.has(name)) {
      waiting.add(name)
      return
    }
    due.add(name)
    const time = `${new Date().toISOString().slice(0, 19)}Z`
    turns = turns.then(() => takeTurn(name, time))
  }

  const jobs = functions.flatMap(({ name, trigger }) => {
    if (trigger.kind !== 'schedule') return []
    request(name)
    return [new Cron(patternOf(trigger.everyMinutes), () => request(name))]
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

/** Resolves when `work` has settled, or after this many milliseconds. */
async function settledWithin(ms: number, work: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  await Promise.race([work, promise])
  clearTimeout(timer)
}

/** @param everyMinutes divides an hour, or is whole hours that divide a day, because cron's steps restart with each */
function cronPattern(everyMinutes: number): string {
  if (everyMinutes === 1) return '* * * * *'
  return everyMinutes < 60 ? `*/${everyMinutes} * * * *` : `0 */${everyMinutes / 60} * * *`
}
