import type { Image } from './family.ts'
import type { RunningProcess } from './lifecycle/running.ts'
import type { Semaphore } from './lifecycle/semaphore.ts'
import type { Outbox } from './outbox/outbox.ts'
import type { Store } from './store/open.ts'

/** Simulated faults of AWS. */
export interface SimulatedFaults {
  /** Every task stops before it runs, with this `stoppedReason` in AWS's words. */
  refusal?: string | undefined
  /** There is no Spot capacity: RunTask returns failures. */
  noSpot?: boolean
  /** Every request is throttled. */
  throttled?: boolean
}

/** The shared state of one running engine. */
export interface Engine {
  readonly dir: string
  readonly region: string
  readonly account: string
  readonly cluster: string
  readonly store: Store
  readonly outbox: Outbox
  /** Tasks with a process, by task id. */
  readonly running: Map<string, RunningProcess>
  /** Active launches. Closing waits for them. */
  readonly launching: Set<Promise<void>>
  /** Limits concurrent launches. */
  readonly launches: Semaphore
  /** The command for each known image. Without a command, the task definition's own is used. */
  readonly images: ReadonlyMap<string, Image>
  /** The maximum number of live tasks. */
  readonly capacity: () => number
  /** Returns the current simulated faults. */
  readonly trouble: () => SimulatedFaults
  /** Returns epoch milliseconds. */
  readonly clock: () => number
  /** True during shutdown: no task is started. */
  closing: boolean
}

/** Returns `arn:aws:ecs:REGION:ACCOUNT:<resource>`. */
export function arn(engine: Pick<Engine, 'region' | 'account'>, resource: string): string {
  return `arn:aws:ecs:${engine.region}:${engine.account}:${resource}`
}

/** Returns the task id at the end of an ARN. */
export function idOf(taskArn: string): string {
  return taskArn.slice(taskArn.lastIndexOf('/') + 1)
}
