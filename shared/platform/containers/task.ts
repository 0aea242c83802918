import { gatewayPort } from '#shared/manifest/containers.ts'
import type { Task, TaskStop, Address } from './port.ts'
import { type EcsTask, ecsTaskShape } from './shape.ts'

/** The environment variable with the agent's generation that a container belongs to. */
export const generationVariable = 'AGENT_GENERATION'

/** Parses a task from a response of ECS or an event's `detail`, which have the same form. */
export const ecsTask = ecsTaskShape.transform(toTask)

function toTask(task: EcsTask): Task {
  const variables = task.overrides?.containerOverrides?.flatMap((one) => one.environment ?? [])
  const generation = variables?.find(({ name }) => name === generationVariable)?.value
  const health = task.healthStatus
  return {
    arn: task.taskArn,
    startedBy: task.startedBy,
    generation: generation === undefined ? undefined : Number(generation),
    status: task.lastStatus,
    health: health === 'HEALTHY' || health === 'UNHEALTHY' ? health : 'UNKNOWN',
    version: task.version,
    address: resolveAddress(task),
    ...(task.createdAt && { createdAt: task.createdAt.toISOString() }),
    startedAt: task.startedAt?.toISOString(),
    ...(task.stopCode !== undefined && { stopCode: task.stopCode }),
    stop: task.lastStatus === 'STOPPED' ? toStop(task) : undefined,
  }
}

function toStop(task: EcsTask): TaskStop {
  const reasons = [task.stoppedReason, ...task.containers.map(({ reason }) => reason)]
  return {
    code: task.stopCode ?? 'Unknown',
    exitCode: task.containers.find(({ exitCode }) => exitCode !== undefined)?.exitCode ?? null,
    text: reasons.filter((reason) => reason !== undefined).join(': '),
    at: (task.stoppedAt ?? new Date()).toISOString(),
  }
}

/**
 * Returns the address of a task's gateway: the host port that its container is bound to, if any, otherwise the private
 * address of its network interface, which Fargate gives to each task.
 */
function resolveAddress({
  containers,
  attachments,
}: Pick<EcsTask, 'containers' | 'attachments'>): Address | undefined {
  for (const { networkBindings = [] } of containers)
    for (const { bindIP, hostPort } of networkBindings)
      if (bindIP !== undefined && hostPort !== undefined) return { host: bindIP, port: hostPort }
  for (const { type, details = [] } of attachments) {
    const host = details.find(({ name }) => name === 'privateIPv4Address')?.value
    if (isInterface(type) && host) return { host, port: gatewayPort }
  }
  return undefined
}

/**
 * Returns whether an attachment is a network interface: `ElasticNetworkInterface` in DescribeTasks, `eni` in events.
 */
function isInterface(type: string | undefined): boolean {
  return type === 'ElasticNetworkInterface' || type === 'eni'
}
