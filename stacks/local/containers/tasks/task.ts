import type { RunTaskInput } from './request.ts'

type TaskStatus = 'PROVISIONING' | 'PENDING' | 'RUNNING' | 'STOPPING' | 'STOPPED'
export type HealthStatus = 'UNKNOWN' | 'HEALTHY' | 'UNHEALTHY'
export type StopCode =
  | 'UserInitiated'
  | 'EssentialContainerExited'
  | 'TaskFailedToStart'
  | 'TerminationNotice'

interface Tag {
  key: string
  value: string
}

/** The address of a container's port on this machine. */
interface NetworkBinding {
  bindIP: '127.0.0.1'
  containerPort: number
  hostPort: number
  protocol: 'tcp'
}

interface Container {
  containerArn: string
  taskArn: string
  name: string
  image: string
  lastStatus: 'PENDING' | 'RUNNING' | 'STOPPED'
  healthStatus: HealthStatus
  networkBindings: NetworkBinding[]
  networkInterfaces: []
  runtimeId?: string
  exitCode?: number
  reason?: string
}

/** A task in the format of the ECS API, except that times are epoch milliseconds. */
export interface Task {
  taskArn: string
  clusterArn: string
  taskDefinitionArn: string
  group: string
  launchType: 'FARGATE'
  /** Set if the request has a capacity provider strategy instead of a launch type. */
  capacityProviderName?: 'FARGATE' | 'FARGATE_SPOT'
  startedBy?: string
  lastStatus: TaskStatus
  desiredStatus: 'RUNNING' | 'STOPPED'
  healthStatus: HealthStatus
  /** Incremented on every change. */
  version: number
  cpu: string
  memory: string
  overrides: RunTaskInput['overrides']
  containers: [Container]
  attachments: []
  attributes: []
  tags: Tag[]
  enableExecuteCommand: false
  connectivity: 'CONNECTED'
  createdAt: number
  startedAt?: number
  stoppingAt?: number
  executionStoppedAt?: number
  stoppedAt?: number
  stopCode?: StopCode
  stoppedReason?: string
}

const times = ['createdAt', 'startedAt', 'stoppingAt', 'executionStoppedAt', 'stoppedAt'] as const

/** Returns a task in wire format: times in epoch seconds. */
export function toWire(task: Task): Record<string, unknown> {
  return withTimes(task, (ms) => ms / 1000)
}

/** Returns a task in the format of an event's detail: times in ISO 8601, no tags. */
export function toDetail(task: Task): Record<string, unknown> {
  const { tags: _, ...detail } = task
  return withTimes(detail, (ms) => new Date(ms).toISOString())
}

function withTimes(
  task: Omit<Task, 'tags'>,
  format: (ms: number) => number | string,
): Record<string, unknown> {
  const shown: Record<string, unknown> = { ...task }
  for (const name of times) {
    const at = task[name]
    if (at !== undefined) shown[name] = format(at)
  }
  return shown
}
