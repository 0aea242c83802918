/**
 * The engine that runs agents, with one task for each agent. Only the provisioning consumer starts and stops tasks.
 * Every method throws CapacityUnavailable if ECS throttles it.
 */
export interface Containers {
  /**
   * Starts a task, or finds the task that an earlier call with the same `clientToken` started.
   * @throws SpotUnavailable if Spot capacity cannot run the task; regular capacity may be available
   * @throws CapacityUnavailable if a later attempt may succeed
   * @throws StartRefused if no later attempt can succeed
   */
  run(request: RunRequest): Promise<Task>
  /** Begins to stop a task and returns its state, or undefined if the engine no longer has the task. Safe to repeat. */
  stop(taskArn: string, reason: string): Promise<Task | undefined>
  /** Returns the task, or undefined if the engine no longer has it: stopped tasks are retained for an hour. */
  describe(taskArn: string): Promise<Task | undefined>
  /** Returns the ARNs of the tasks of `startedBy` that should run. A recently started task may be missing. */
  list(startedBy: string): Promise<string[]>
}

export interface RunRequest {
  /** At most 64 characters; ECS stores it for a day. */
  clientToken: string
  /** At most 128 letters, digits, hyphens and underscores; it is in every event of the task. */
  startedBy: string
  /** A task definition family, without the stage's prefix. */
  family: string
  /** True to run the task on Spot capacity, which is cheaper and can be reclaimed. Default: false. */
  spot?: boolean
  /** An image other than the family's. */
  image?: string | undefined
  /** The size of the disk in GiB, 21 to 200. Default: Fargate's 20. */
  diskGb?: number | undefined
  /**
   * Visible in every response and event about the task. It may contain ids and addresses, but no secret that stays
   * valid.
   */
  environment: Readonly<Record<string, string>>
  tags: Readonly<Record<string, string>>
}

/** A task as ECS describes it in a response or an event. */
export interface Task {
  arn: string
  startedBy: string | undefined
  /** The agent's generation that this task belongs to, from its container's AGENT_GENERATION. */
  generation: number | undefined
  /** PROVISIONING, PENDING, ACTIVATING, RUNNING, DEACTIVATING, STOPPING, DEPROVISIONING or STOPPED. */
  status: string
  health: TaskHealth
  /** Increases with every change of the task, so that late events can be distinguished from new ones. */
  version: number
  /** The address of its gateway; undefined while the task has no network interface. */
  address: Address | undefined
  /** ISO 8601: the time of the request for the task. */
  createdAt?: string
  /** ISO 8601. */
  startedAt: string | undefined
  /** ECS's stopCode; set when the task is going to end: for Spot two minutes before it is STOPPED. */
  stopCode?: string | undefined
  /** Set when the task is STOPPED. */
  stop: TaskStop | undefined
}

type TaskHealth = 'UNKNOWN' | 'HEALTHY' | 'UNHEALTHY'

export interface Address {
  host: string
  port: number
}

export interface TaskStop {
  /** ECS's stopCode: UserInitiated, EssentialContainerExited, TaskFailedToStart, TerminationNotice, … */
  code: string
  /** The container's exit code; null if it never ran or is unknown. */
  exitCode: number | null
  text: string
  /** ISO 8601. */
  at: string
}

/** The cluster is full: the same request may succeed later. */
export class CapacityUnavailable extends Error {
  override readonly name = 'CapacityUnavailable'
}

/** ECS could not start the task on Spot capacity; the same request on regular capacity may succeed. */
export class SpotUnavailable extends Error {
  override readonly name = 'SpotUnavailable'
}

/** The request is invalid, for example the task definition does not exist, so a retry cannot succeed. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused'
}
