import type { Image } from './family.ts'
import type { Running } from './lifecycle/running.ts'
import type { Semaphore } from './lifecycle/semaphore.ts'
import type { Outbox } from './outbox/outbox.ts'
import type { Store } from './store/open.ts'

/** What is wrong with the host. */
export interface Trouble {
  /** Every task that is started ends so before it runs: its `stoppedReason`, in AWS's words. */
  refusal?: string | undefined
  /** There is no spare capacity: RunTask answers each request for it with failures. */
  noSpot?: boolean
  /** Every request is one too many. */
  throttled?: boolean
}

/** What every part of one running engine shares. */
export interface Engine {
  readonly dir: string
  readonly region: string
  readonly account: string
  readonly cluster: string
  readonly store: Store
  readonly outbox: Outbox
  /** Tasks with a process, by task id. */
  readonly running: Map<string, Running>
  /** Launches under way, so that closing can wait for them. */
  readonly launching: Set<Promise<void>>
  /** Lets few launches run at a time. */
  readonly launches: Semaphore
  /** What is run as each image that this machine has; without a command, what the task definition says. */
  readonly images: ReadonlyMap<string, Image>
  /** Most tasks that may live at once. */
  readonly capacity: () => number
  /** Why nothing can be started or asked for now, as AWS has its troubles. */
  readonly trouble: () => Trouble
  /** Epoch milliseconds. */
  readonly clock: () => number
  /** Set once the engine is shutting down: nothing is started any more. */
  closing: boolean
}

/** `arn:aws:ecs:REGION:ACCOUNT:<resource>`. */
export function arn(engine: Pick<Engine, 'region' | 'account'>, resource: string): string {
  return `arn:aws:ecs:${engine.region}:${engine.account}:${resource}`
}

/** The task's id at the end of its ARN. */
export function idOf(taskArn: string): string {
  return taskArn.slice(taskArn.lastIndexOf('/') + 1)
}
