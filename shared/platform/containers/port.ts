/**
 * Where agents run: one task an agent, started and stopped by the provisioning consumer alone. Everything throws
 * CapacityUnavailable where too much is asked at once.
 */
export interface Containers {
  /**
   * Starts a task, or finds the one that an earlier call with the same `clientToken` started.
   * @throws SpotUnavailable where no task was started on spare capacity; one at the full price may be
   * @throws CapacityUnavailable where it may work later
   * @throws StartRefused where it never will
   */
  run(request: RunRequest): Promise<Task>
  /** Begins to stop a task and answers how it is; undefined for one that the engine has forgotten. Repeating it is harmless. */
  stop(taskArn: string, reason: string): Promise<Task | undefined>
  /** The task, or undefined for one that the engine has forgotten: stopped ones are kept for an hour. */
  describe(taskArn: string): Promise<Task | undefined>
  /** The ARNs of the tasks that `startedBy` wants to run. A task that was started just now may be missing. */
  list(startedBy: string): Promise<string[]>
}

export interface RunRequest {
  /** At most 64 characters; kept for a day. */
  clientToken: string
  /** At most 128 letters, digits, hyphens and underscores; in every event of the task. */
  startedBy: string
  /** A task definition family, without the stage's prefix. */
  family: string
  /** Whether it runs on spare capacity, which is cheaper and may be taken away; default: it does not. */
  spot?: boolean
  /** Another image than the family's own. */
  image?: string | undefined
  /** Shown by every answer and event of the task: it holds ids and addresses, and no secret that stays good. */
  environment: Readonly<Record<string, string>>
  tags: Readonly<Record<string, string>>
}

/** A task as ECS shows it, in an answer or in an event. */
export interface Task {
  arn: string
  startedBy: string | undefined
  /** The start of the agent that this task belongs to, by its container's AGENT_GENERATION. */
  generation: number | undefined
  /** PROVISIONING, PENDING, ACTIVATING, RUNNING, DEACTIVATING, STOPPING, DEPROVISIONING or STOPPED. */
  status: string
  health: TaskHealth
  /** Grows with every change of the task, so that what is late can be told from what is new. */
  version: number
  /** Where its gateway listens, once it has a network. */
  address: Address | undefined
  /** ISO 8601: when it was asked for. */
  createdAt?: string
  /** ISO 8601. */
  startedAt: string | undefined
  /** ECS's stopCode, once it is to end: for spot two minutes before it is STOPPED. */
  stopCode?: string | undefined
  /** Once it is STOPPED. */
  stop: TaskStop | undefined
}

export type TaskHealth = 'UNKNOWN' | 'HEALTHY' | 'UNHEALTHY'

export interface Address {
  host: string
  port: number
}

export interface TaskStop {
  /** ECS's stopCode: UserInitiated, EssentialContainerExited, TaskFailedToStart, TerminationNotice, … */
  code: string
  /** The container's, null where it never ran or was never asked. */
  exitCode: number | null
  text: string
  /** ISO 8601. */
  at: string
}

/** The cluster is full: the same request may work in a while. */
export class CapacityUnavailable extends Error {
  override readonly name = 'CapacityUnavailable'
}

/** ECS has started no task on spare capacity; the same request at the full price may work now. */
export class SpotUnavailable extends Error {
  override readonly name = 'SpotUnavailable'
}

/** The request is wrong, such as a task definition that is not there: trying again changes nothing. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused'
}
