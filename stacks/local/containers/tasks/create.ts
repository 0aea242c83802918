import { randomBytes } from 'node:crypto'
import type { TaskDefinition } from '../definitions/store.ts'
import { arn, type Engine } from '../engine.ts'
import type { RunTaskInput } from './request.ts'
import type { Task } from './task.ts'

/** Returns a new task as in RunTask's response. */
export function newTask(engine: Engine, definition: TaskDefinition, input: RunTaskInput): Task {
  const id = randomBytes(16).toString('hex')
  const taskArn = arn(engine, `task/${engine.cluster}/${id}`)
  const [container] = definition.containerDefinitions
  const [provider] = input.capacityProviderStrategy ?? []
  return {
    taskArn,
    clusterArn: arn(engine, `cluster/${engine.cluster}`),
    taskDefinitionArn: definition.taskDefinitionArn,
    group: input.group ?? `family:${definition.family}`,
    launchType: 'FARGATE',
    ...(provider !== undefined && { capacityProviderName: provider.capacityProvider }),
    ...(input.startedBy !== undefined && { startedBy: input.startedBy }),
    lastStatus: 'PROVISIONING',
    desiredStatus: 'RUNNING',
    healthStatus: 'UNKNOWN',
    version: 1,
    cpu: input.overrides.cpu ?? definition.cpu,
    memory: input.overrides.memory ?? definition.memory,
    overrides: input.overrides,
    containers: [
      {
        containerArn: arn(
          engine,
          `container/${engine.cluster}/${id}/${randomBytes(16).toString('hex')}`,
        ),
        taskArn,
        name: container.name,
        image: container.image,
        lastStatus: 'PENDING',
        healthStatus: 'UNKNOWN',
        networkBindings: [],
        networkInterfaces: [],
      },
    ],
    attachments: [],
    attributes: [],
    tags: input.tags,
    enableExecuteCommand: false,
    connectivity: 'CONNECTED',
    createdAt: engine.clock(),
  }
}
