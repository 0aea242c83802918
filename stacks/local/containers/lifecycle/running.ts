import type { StartedProcess } from '../processes/start.ts'

/** The process of a task in this engine. */
export interface RunningProcess {
  readonly process: StartedProcess
  readonly stopTimeoutMs: number
  /**
   * Resolves when the process is first reported healthy or unhealthy, or has ended; immediately without a health check.
   */
  readonly ready: Promise<void>
  /** Resolves when the process and all its children are gone and the task is STOPPED. */
  readonly ended: Promise<void>
  /** True after the process has ended. Its pid may be reused from then on. */
  exited: boolean
  /** The time of SIGKILL on the monotonic clock; set after SIGTERM was sent. */
  killAt?: number
  killTimer?: NodeJS.Timeout
}
