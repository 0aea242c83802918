import type { StartedProcess } from '../processes/start.ts'

/** A task's process while this engine has it. */
export interface Running {
  readonly process: StartedProcess
  readonly stopTimeoutMs: number
  /** Resolves when the process is first told well or unwell, or has ended; at once if never told. */
  readonly ready: Promise<void>
  /** Resolves once the process and all that it started are gone and the task is STOPPED. */
  readonly ended: Promise<void>
  /** Set once the process has ended: its pid may belong to another from then on. */
  exited: boolean
  /** When SIGKILL follows, on the monotonic clock; set once SIGTERM was sent. */
  killAt?: number
  killTimer?: NodeJS.Timeout
}
