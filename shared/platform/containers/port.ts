/**
 * The engine that runs agents: one task for each agent, which only the provisioning consumer starts and stops.
 * Every method throws CapacityUnavailable if too much is requested at the same time.
 */
export interface Containers {
  /**
   * Starts a task, or finds the task that an earlier call with the same `clientToken` started.
   * @throws SpotUnavailable if spare capacity cannot run the task; regular capacity may be able to
   * @throws CapacityUnavailable if a later try may succeed
   * @throws StartRefused if no later try can succeed
   */
  run(request: RunRequest): Promise<Task>
  /** Begins to stop a task and returns its state, or undefined if the engine no longer knows it. Safe to repeat. */
  stop(taskArn: string, reason: string): Promise<Task | undefined>
  /** Returns the task, or undefined if the engine no longer knows it: stopped tasks are kept for an hour. */
  describe(taskArn: string): Promise<Task | undefined>
  /** The ARNs of the tasks that `startedBy` wants to run. A task that was started a moment ago may be missing. */
  list(startedBy: string): Promise<string[]>
}

export interface RunRequest {
  /** At most 64 characters; ECS keeps it for a day. */
  clientToken: string
  /** At most 128 letters, digits, hyphens and underscores; it is in every event of the task. */
  startedBy: string
  /** A task definition family, without the stage's prefix. */
  family: string
  /** True if the task runs on spare capacity, which is cheaper and can be taken away. Default: false. */
  spot?: boolean
  /** An image other than the family's. */
  image?: string | undefined
  /** Visible in every answer and event of the task: put ids and addresses in it, and no secret that stays valid. */
  environment: Readonly<Record<string, string>>
  tags: Readonly<Record<string, string>>
}

/** A task as ECS shows it in an answer or an event. */
export interface Task {
  arn: string
  startedBy: string | undefined
  /** The agent's generation that this task belongs to, from its container's AGENT_GENERATION. */
  generation: number | undefined
  /** PROVISIONING, PENDING, ACTIVATING, RUNNING, DEACTIVATING, STOPPING, DEPROVISIONING or STOPPED. */
  status: string
  health: TaskHealth
  /** Grows with every change of the task, so that late events can be told from new ones. */
  version: number
  /** The address of its gateway, once the task has a network interface. */
  address: Address | undefined
  /** ISO 8601: when the task was requested. */
  createdAt?: string
  /** ISO 8601. */
  startedAt: string | undefined
  /** ECS's stopCode, once the task is going to end: for spot two minutes before it is STOPPED. */
  stopCode?: string | undefined
  /** Set once the task is STOPPED. */
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

/** ECS started no task on spare capacity; the same request on regular capacity may succeed now. */
export class SpotUnavailable extends Error {
  override readonly name = 'SpotUnavailable'
}

/** The request is wrong, for example the task definition does not exist: a retry cannot succeed. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused'
}
