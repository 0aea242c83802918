import type { TaskEvent } from '#shared/agents/fleet/tasks/topic.ts'
import { batched } from '#shared/platform/containers/batched.ts'
import {
  type Address,
  CapacityUnavailable,
  type Containers,
  type RunRequest,
} from '#shared/platform/containers/port.ts'
import { generationVariable, ecsTask } from '#shared/platform/containers/task.ts'
import type { Clock } from './clock.ts'

/** The durations of a container in milliseconds: to be placed and run, then to become healthy, to stop, and to be refused. */
const times = { running: 30_000, healthy: 10_000, ending: 10_000, refused: 20_000 }

/**
 * The rate limits of ECS per account and region: `perSecond`, with bursts of `size`. These are AWS's quotas: one for
 * Fargate launches, one for RunTask and StopTask together, and one for DescribeTasks and ListTasks together.
 */
export const rates = {
  launches: { size: 100, perSecond: 20 },
  changes: { size: 100, perSecond: 40 },
  reads: { size: 100, perSecond: 20 },
} as const

interface SimulatedTask {
  arn: string
  agentId: string
  generation: number
  status: string
  version: number
  silent: boolean
  startedAt?: string
  stop?: { code: string; reason?: string; exitCode?: number; at: string }
}

/** A simulated ECS: tasks with durations, rate-limited calls, and faults. */
export class Cluster {
  readonly tasks = new Map<string, SimulatedTask>()
  readonly calls = { run: 0, stop: 0, describe: 0, throttled: 0 }
  /** True while ECS accepts tasks but cannot start them, because it gets no network interface. */
  refusing = false
  readonly #clock: Clock
  readonly #onEvent: (event: TaskEvent) => void
  readonly #newest = new Map<string, string>()
  readonly #launches: Bucket
  readonly #changes: Bucket
  readonly #reads: Bucket

  constructor(clock: Clock, onEvent: (event: TaskEvent) => void) {
    this.#clock = clock
    this.#onEvent = onEvent
    this.#launches = new Bucket(clock, rates.launches)
    this.#changes = new Bucket(clock, rates.changes)
    this.#reads = new Bucket(clock, rates.reads)
  }

  readonly port: Containers = {
    run: async (request) => {
      this.#take(this.#changes)
      this.#take(this.#launches)
      this.calls.run++
      const arn = arnOf(request.clientToken)
      const task = this.tasks.get(arn) ?? this.#start(arn, request)
      return ecsTask.parse(this.#detail(task))
    },
    stop: async (arn) => {
      this.#take(this.#changes)
      this.calls.stop++
      const task = this.tasks.get(arn)
      if (task === undefined) return undefined
      this.#end(task)
      return ecsTask.parse(this.#detail(task))
    },
    describe: batched(async (arns: string[]) => {
      this.#take(this.#reads)
      this.calls.describe++
      const tasks = arns.map((arn) => this.tasks.get(arn)).filter((task) => task !== undefined)
      return new Map(tasks.map((task) => [task.arn, ecsTask.parse(this.#detail(task))]))
    }, 100),
    list: async (startedBy) => {
      this.#take(this.#reads)
      return [...this.tasks.values()]
        .filter(({ agentId, stop }) => agentId === startedBy && stop === undefined)
        .map(({ arn }) => arn)
    },
  }

  /** Adds a healthy running task without a start. */
  place(agentId: string): { arn: string; address: Address } {
    const arn = arnOf(`${agentId}-1`)
    const startedAt = new Date(this.#clock.now - 600_000).toISOString()
    const placed = { arn, agentId, generation: 1, status: 'RUNNING', version: 3, startedAt }
    this.tasks.set(arn, { ...placed, silent: false })
    this.#newest.set(agentId, arn)
    return { arn, address: addressOf(agentId) }
  }

  /** Returns whether a container would respond at an agent's address. */
  answersNow(agentId: string): boolean {
    const task = this.runningTask(agentId)
    return task !== undefined && !task.silent
  }

  /** Returns whether a probe times out: nothing at the address refuses it, as after the loss of a machine. */
  hangs(agentId: string): boolean {
    const task = this.tasks.get(this.#newest.get(agentId) ?? '')
    if (task?.status === 'RUNNING') return task.silent
    const endedAt = task?.stop && Date.parse(task.stop.at)
    return endedAt !== undefined && this.#clock.now - endedAt < 60_000
  }

  runningTask(agentId: string): SimulatedTask | undefined {
    const task = this.tasks.get(this.#newest.get(agentId) ?? '')
    return task?.status === 'RUNNING' ? task : undefined
  }

  /** Removes a task's machine. ECS sends an event. */
  lose(task: SimulatedTask): void {
    this.#stopped(task, { code: 'TerminationNotice', reason: 'Host is going away' })
  }

  #take(bucket: Bucket): void {
    if (bucket.take()) return
    this.calls.throttled++
    throw new CapacityUnavailable('Rate exceeded')
  }

  #start(arn: string, { startedBy, environment }: RunRequest): SimulatedTask {
    const generation = Number(environment[generationVariable])
    const task = {
      arn,
      agentId: startedBy,
      generation,
      status: 'PROVISIONING',
      version: 1,
      silent: false,
    }
    this.tasks.set(arn, task)
    this.#newest.set(startedBy, arn)
    if (this.refusing) {
      const reason = 'Timeout waiting for network interface provisioning to complete.'
      this.#clock.after(times.refused, () =>
        this.#stopped(task, { code: 'TaskFailedToStart', reason }),
      )
    } else this.#clock.after(times.running, () => this.#runs(task))
    return task
  }

  #runs(task: SimulatedTask): void {
    if (task.status !== 'PROVISIONING') return
    task.startedAt = new Date(this.#clock.now).toISOString()
    this.#becomes(task, 'RUNNING')
    this.#clock.after(times.healthy, () => {
      if (task.status === 'RUNNING' && !task.silent) this.#becomes(task, 'RUNNING')
    })
  }

  #end(task: SimulatedTask): void {
    if (task.status === 'STOPPED' || task.status === 'STOPPING') return
    this.#becomes(task, 'STOPPING')
    this.#clock.after(times.ending, () =>
      this.#stopped(task, { code: 'UserInitiated', exitCode: 0 }),
    )
  }

  #stopped(task: SimulatedTask, stop: { code: string; reason?: string; exitCode?: number }): void {
    if (task.status === 'STOPPED') return
    task.stop = { ...stop, at: new Date(this.#clock.now).toISOString() }
    this.#becomes(task, 'STOPPED')
    // ECS keeps a stopped task for an hour. The platform does not ask for it after the event about its end.
    this.#clock.after(600_000, () => void this.tasks.delete(task.arn))
  }

  #becomes(task: SimulatedTask, status: string): void {
    task.status = status
    task.version++
    const detail = this.#detail(task)
    this.#onEvent({
      id: `${task.arn}-${task.version}`,
      'detail-type': 'ECS Task State Change',
      detail,
    })
  }

  #detail({ arn, agentId, generation, status, version, startedAt, stop }: SimulatedTask) {
    const healthy = status === 'RUNNING' && version >= 3
    const network = [{ name: 'privateIPv4Address', value: addressOf(agentId).host }]
    return {
      taskArn: arn,
      startedBy: agentId,
      lastStatus: status,
      healthStatus: healthy ? 'HEALTHY' : 'UNKNOWN',
      version,
      attachments: [{ type: 'eni', details: network }],
      containers: stop?.exitCode === undefined ? [] : [{ exitCode: stop.exitCode }],
      overrides: {
        containerOverrides: [
          { environment: [{ name: generationVariable, value: String(generation) }] },
        ],
      },
      ...(startedAt !== undefined && { startedAt }),
      ...(stop !== undefined && {
        stopCode: stop.code,
        stoppedAt: stop.at,
        ...(stop.reason !== undefined && { stoppedReason: stop.reason }),
      }),
    }
  }
}

function arnOf(clientToken: string): string {
  return `arn:aws:ecs:us-east-1:000000000000:task/platform/${clientToken}`
}

function addressOf(agentId: string): Address {
  return { host: `${agentId}.simulated`, port: 18_789 }
}

/** A token bucket: bursts of `size`, refilled by `perSecond`. */
class Bucket {
  readonly #clock: Clock
  readonly #size: number
  readonly #perSecond: number
  #left: number
  #at: number

  constructor(clock: Clock, { size, perSecond }: { size: number; perSecond: number }) {
    this.#clock = clock
    this.#size = size
    this.#perSecond = perSecond
    this.#left = this.#size
    this.#at = clock.now
  }

  take(): boolean {
    const passed = (this.#clock.now - this.#at) / 1000
    this.#left = Math.min(this.#size, this.#left + passed * this.#perSecond)
    this.#at = this.#clock.now
    if (this.#left < 1) return false
    this.#left--
    return true
  }
}
