import type { Fallback, Watchdog } from './schema.ts'

/** A container that did not answer. */
export interface Silence {
  cause: string
  /** Its task was not found since the watchdog's request, so it may be gone with its host. */
  mayBeLost?: boolean
}

/** The events that the watchdog handles. */
export type WatchdogEvent =
  | { type: 'task-started'; generation: number }
  | { type: 'check-passed' }
  | ({ type: 'check-failed' } & Silence)
  /** It ended by itself. */
  | { type: 'crashed'; cause: string }
  /** AWS reclaimed its host, which is not the agent's fault. */
  | { type: 'host-lost' }
  /** Its start was rejected because its settings cannot work. Nothing was started. */
  | { type: 'start-refused'; cause: string }
  | { type: 'stopped-by-person' }
  | { type: 'started-by-person' }
  /** It was stopped because it was idle. */
  | { type: 'fell-asleep' }
  | { type: 'repair-stop-waited' }
  | ({ type: 'repair-start-waited'; healthy: boolean } & Silence)
  /** A check was due, but the container does not exist yet. */
  | ({ type: 'repair-start-pending'; forCapacity: boolean } & Silence)

/** The remaining fallbacks, in order: last healthy settings that the agent does not use now. */
export interface Fallbacks {
  steps: readonly Fallback[]
  /** True to fall back without another restart, because the current settings were on trial. */
  isImmediate: boolean
}

/** The effects to carry out after the new state is stored. Times are in seconds. */
export type Effect =
  /** Check again at `dueAt`. */
  | { type: 'check'; after: number }
  /** Request the state of the task. The response is written to the agent's row. */
  | { type: 'observe' }
  | { type: 'stop-task' }
  /** Start a new generation, from now on with the last healthy settings. */
  | { type: 'start-task'; fallback?: Fallback }
  | { type: 'give-up'; cause: string }

export interface Transition {
  watchdog: Watchdog
  effects: Effect[]
}
