import {
  ClientException,
  ConflictException,
  DescribeTasksCommand,
  ECSClient,
  ECSServiceException,
  InvalidParameterException,
  paginateListTasks,
  PlatformTaskDefinitionIncompatibilityException,
  PlatformUnknownException,
  RunTaskCommand,
  StopTaskCommand,
  UnsupportedFeatureException,
} from '@aws-sdk/client-ecs'
import { containerName } from '../../manifest/containers.ts'
import {
  CapacityUnavailable,
  type Containers,
  type RunRequest,
  SpotUnavailable,
  StartRefused,
  type Task,
} from './port.ts'
import { definitionWith } from './definition.ts'
import { ecsTask } from './task.ts'
import { batched } from './batched.ts'

export interface EcsOptions {
  cluster: string
  /** Stands in front of every task definition family: `<app>-<stage>-`. */
  familyPrefix: string
  /** Where tasks are put on AWS; empty on one machine, which has no such thing. */
  subnets: readonly string[]
  securityGroups: readonly string[]
  /** Whether tasks have a public address, which in a public subnet is their only way out. Default: they do. */
  publicAddress?: boolean
  /** Another engine than AWS's own. */
  endpoint?: string | undefined
}

/** The containers port over ECS on Fargate. */
export function ecsContainers(options: EcsOptions): Containers {
  const { cluster, endpoint } = options
  const client = new ECSClient({ ...(endpoint !== undefined && { endpoint }), maxAttempts: 4 })
  // After all tries of the SDK's own that is a cluster without room, for every operation.
  client.middlewareStack.add(
    (next) => (args) => next(args).catch((error: unknown) => Promise.reject(told(error))),
    { step: 'initialize' },
  )

  // ECS takes few requests a second, of a hundred tasks each.
  const ask = batched(describeAll, 100)

  async function describeAll(arns: string[]): Promise<Map<string, Task | Error>> {
    try {
      const { tasks = [] } = await client.send(new DescribeTasksCommand({ cluster, tasks: arns }))
      return new Map(tasks.map((task) => ecsTask.parse(task)).map((task) => [task.arn, task]))
    } catch (error) {
      if (!(error instanceof InvalidParameterException)) throw error
      if (arns.length === 1) return new Map(arns.map((arn) => [arn, error]))
      // One that is of another cluster has ECS refuse all that are asked for with it.
      const middle = Math.ceil(arns.length / 2)
      const first = await describeAll(arns.slice(0, middle))
      return new Map([...first, ...(await describeAll(arns.slice(middle)))])
    }
  }

  async function definitionOf({ family, image }: RunRequest): Promise<string> {
    const base = `${options.familyPrefix}${family}`
    if (image === undefined) return base
    try {
      return await definitionWith(client, base, image)
    } catch (error) {
      throw classify(error)
    }
  }

  async function describe(taskArn: string): Promise<Task | undefined> {
    const seen = await ask(taskArn)
    if (seen instanceof Error) throw seen
    return seen
  }

  return {
    async run(request) {
      const definition = await definitionOf(request)
      try {
        const command = runTask(options, request, definition)
        const { tasks = [], failures = [] } = await client.send(command)
        if (tasks[0] !== undefined) return ecsTask.parse(tasks[0])
        const Unavailable = request.spot ? SpotUnavailable : CapacityUnavailable
        throw new Unavailable(failures.map(({ reason }) => reason).join(', '))
      } catch (error) {
        // The token's first request differed, as settings do between two releases: its task is the one.
        const [first] = error instanceof ConflictException ? (error.resourceIds ?? []) : []
        const adopted = first && (await describe(first))
        if (adopted) return adopted
        const meaning = classify(error)
        // Spare capacity has quotas and regions of its own: the same request without it tells what is wrong with both.
        throw request.spot && meaning !== error
          ? new SpotUnavailable(String(error), { cause: error })
          : meaning
      }
    },

    async stop(taskArn, reason) {
      try {
        const { task } = await client.send(new StopTaskCommand({ cluster, task: taskArn, reason }))
        return task && ecsTask.parse(task)
      } catch (error) {
        if (error instanceof InvalidParameterException) return undefined
        throw error
      }
    },

    describe,

    async list(startedBy) {
      const arns: string[] = []
      for await (const { taskArns = [] } of paginateListTasks({ client }, { cluster, startedBy }))
        arns.push(...taskArns)
      return arns
    },
  }
}

/** What ECS says where it is asked for more than so many things a second. */
const throttled: ReadonlySet<string> = new Set([
  'ThrottlingException',
  'TooManyRequestsException',
  'RequestLimitExceeded',
])

function told(error: unknown): unknown {
  if (!(error instanceof ECSServiceException) || !throttled.has(error.name)) return error
  return new CapacityUnavailable(error.message, { cause: error })
}

function runTask(options: EcsOptions, request: RunRequest, taskDefinition: string): RunTaskCommand {
  const { cluster, subnets, securityGroups, publicAddress = true } = options
  return new RunTaskCommand({
    cluster,
    taskDefinition,
    clientToken: request.clientToken,
    startedBy: request.startedBy,
    // One of the two may be given: ECS refuses both together.
    ...(request.spot
      ? { capacityProviderStrategy: [{ capacityProvider: 'FARGATE_SPOT', weight: 1 }] }
      : { launchType: 'FARGATE' as const }),
    count: 1,
    overrides: {
      containerOverrides: [
        {
          name: containerName,
          environment: Object.entries(request.environment).map(([name, value]) => ({
            name,
            value,
          })),
        },
      ],
    },
    tags: Object.entries(request.tags).map(([key, value]) => ({ key, value })),
    ...(subnets.length > 0 && {
      networkConfiguration: {
        awsvpcConfiguration: {
          subnets: [...subnets],
          securityGroups: [...securityGroups],
          // The group lets nothing in by it.
          assignPublicIp: publicAddress ? 'ENABLED' : 'DISABLED',
        },
      },
    }),
  })
}

/** What a failed RunTask means for the caller; what is neither goes on as it is, to be retried. */
function classify(error: unknown): unknown {
  // A used-up quota of vCPUs comes as the same kind of error as a wrong request, and so do two registrations at once;
  // only the text tells them apart.
  if (error instanceof ClientException && /limit|quota|capacity|concurrent/i.test(error.message))
    return new CapacityUnavailable(error.message, { cause: error })
  if (
    error instanceof ClientException ||
    error instanceof InvalidParameterException ||
    error instanceof PlatformTaskDefinitionIncompatibilityException ||
    error instanceof PlatformUnknownException ||
    error instanceof UnsupportedFeatureException
  )
    return new StartRefused(error.message, { cause: error })
  return error
}
