import type { Fallback, Watchdog } from './schema.ts'

/** A container that did not answer. */
export interface Silence {
  cause: string
  /** Its task was not seen to be there since the watchdog asked: it may have gone away with its machine. */
  mayBeLost?: boolean
}

/** What happened to an agent, as far as the watchdog cares. */
export type WatchdogEvent =
  | { type: 'task-started'; generation: number }
  | { type: 'check-passed' }
  | ({ type: 'check-failed' } & Silence)
  /** It ended without being asked to. */
  | { type: 'crashed'; cause: string }
  /** The machine under it went away; that is no fault of the agent's. */
  | { type: 'host-lost' }
  /** What it was to be started with cannot work; nothing was started. */
  | { type: 'start-refused'; cause: string }
  | { type: 'stopped-by-person' }
  | { type: 'started-by-person' }
  /** It had nothing to do, and was stopped for that. */
  | { type: 'fell-asleep' }
  | { type: 'repair-stop-waited' }
  | ({ type: 'repair-start-waited'; healthy: boolean } & Silence)
  /** The time of a look has come, but there is no container yet that could be looked at. */
  | ({ type: 'repair-start-pending'; forCapacity: boolean } & Silence)

/** What may still be gone back to, in this order: what the agent was well with and does not run with now. */
export interface Fallbacks {
  steps: readonly Fallback[]
  /** Without a restart before: what it runs with was only on trial. */
  atOnce: boolean
}

/** What must follow once the new state is stored. Waits are in seconds. */
export type Effect =
  /** Look again when `dueAt` comes. */
  | { type: 'check'; after: number }
  /** Ask how the task is: the answer comes into the agent's row. */
  | { type: 'observe' }
  | { type: 'stop-task' }
  /** A new generation, from now on with what it was well with last. */
  | { type: 'start-task'; fallback?: Fallback }
  | { type: 'give-up'; cause: string }

export interface Transition {
  watchdog: Watchdog
  effects: Effect[]
}
