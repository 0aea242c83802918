import {
  containerName,
  familyOf,
  gatewayPort,
  healthCheck,
  planSizes,
  stopTimeoutSeconds,
} from '#shared/manifest/index.ts'
import type { PlanSize } from '#shared/manifest/index.ts'
import { named, pascal } from './names.ts'
import { vpc } from './network.ts'
import { agentImage, agentLogs, executionRole, taskRole } from './task-roles.ts'

export const cluster = new sst.aws.Cluster('Cluster', {
  vpc,
  transform: { cluster: { name: named('agents') } },
})

/** The prefix of the plans' families, so that several stages can share an account. */
export const taskFamilyPrefix = named('')

/** The folders that an agent writes to. agent/image/Dockerfile declares them as volumes of the agent's user. */
const writable = [
  { name: 'state', path: '/data' },
  { name: 'scratch', path: '/tmp' },
]

/** Checks whether the agent is ready, with only the image's own Node. */
const probe = `fetch('http://127.0.0.1:${gatewayPort}${healthCheck.path}').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))`

export const taskDefinitions = planSizes.map(taskDefinition)

function taskDefinition({ plan, cpu, memoryMb }: PlanSize) {
  return new aws.ecs.TaskDefinition(pascal(familyOf(plan)), {
    family: `${taskFamilyPrefix}${familyOf(plan)}`,
    requiresCompatibilities: ['FARGATE'],
    networkMode: 'awsvpc',
    runtimePlatform: { cpuArchitecture: 'ARM64', operatingSystemFamily: 'LINUX' },
    cpu: String(cpu),
    memory: String(memoryMb),
    executionRoleArn: executionRole.arn,
    taskRoleArn: taskRole.arn,
    // A running agent keeps the revision that it was started with, even after a deployment.
    skipDestroy: true,
    volumes: writable.map(({ name }) => ({ name })),
    containerDefinitions: $jsonStringify([agentContainer()]),
  })
}

function agentContainer() {
  return {
    name: containerName,
    image: agentImage,
    essential: true,
    user: 'node',
    readonlyRootFilesystem: true,
    privileged: false,
    linuxParameters: { initProcessEnabled: true, capabilities: { drop: ['ALL'] } },
    mountPoints: writable.map(({ name, path }) => ({ sourceVolume: name, containerPath: path })),
    portMappings: [{ containerPort: gatewayPort, protocol: 'tcp' }],
    stopTimeout: stopTimeoutSeconds,
    healthCheck: {
      command: ['CMD', 'node', '-e', probe],
      interval: healthCheck.intervalSeconds,
      timeout: healthCheck.timeoutSeconds,
      startPeriod: healthCheck.startPeriodSeconds,
      retries: healthCheck.retries,
    },
    logConfiguration: {
      logDriver: 'awslogs',
      options: {
        'awslogs-group': agentLogs.name,
        'awslogs-region': aws.getRegionOutput().region,
        'awslogs-stream-prefix': containerName,
        // A log that cannot be written must not slow the agent down.
        mode: 'non-blocking',
        'max-buffer-size': '4m',
      },
    },
  }
}
