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
import { containerName } from '#shared/manifest/containers.ts'
import { batched } from './batched.ts'
import { definitionWith } from './definition.ts'
import {
  CapacityUnavailable,
  type Containers,
  type RunRequest,
  SpotUnavailable,
  StartRefused,
  type Task,
} from './port.ts'
import { ecsTask } from './task.ts'

export interface EcsOptions {
  cluster: string
  /** Prefix of every task definition family: `<app>-<stage>-`. */
  familyPrefix: string
  /** Subnets for tasks on AWS; empty on one machine. */
  subnets: readonly string[]
  securityGroups: readonly string[]
  /** True if tasks get a public address, which is their only way out of a public subnet. Default: true. */
  publicAddress?: boolean
  /** An ECS endpoint other than AWS's. */
  endpoint?: string | undefined
}

/** The containers port over ECS on Fargate. */
export function ecsContainers(options: EcsOptions): Containers {
  const { cluster, endpoint } = options
  const client = new ECSClient({ ...(endpoint !== undefined && { endpoint }), maxAttempts: 4 })
  // For every operation, throttling that continues after the SDK's retries counts as a lack of capacity.
  client.middlewareStack.add(
    (next) => (args) =>
      next(args).catch((error: unknown) => Promise.reject(asCapacityError(error))),
    { step: 'initialize' },
  )

  // ECS accepts few requests per second, each for up to 100 tasks.
  const ask = batched(describeAll, 100)

  async function describeAll(arns: string[]): Promise<Map<string, Task | Error>> {
    try {
      const { tasks = [] } = await client.send(new DescribeTasksCommand({ cluster, tasks: arns }))
      return new Map(tasks.map((task) => ecsTask.parse(task)).map((task) => [task.arn, task]))
    } catch (error) {
      if (!(error instanceof InvalidParameterException)) throw error
      if (arns.length === 1) return new Map(arns.map((arn) => [arn, error]))
      // ECS rejects the whole request if one ARN belongs to another cluster, so the halves are requested separately.
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
        // An earlier request with this token had other parameters, for example the settings of another release. Its
        // task is used.
        const [first] = error instanceof ConflictException ? (error.resourceIds ?? []) : []
        const adopted = first && (await describe(first))
        if (adopted) return adopted
        const meaning = classify(error)
        // Spot capacity has its own quotas and regions. The same request without Spot shows whether regular capacity is
        // affected too.
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

/** ECS's error codes for too many requests a second. */
const throttled: ReadonlySet<string> = new Set([
  'ThrottlingException',
  'TooManyRequestsException',
  'RequestLimitExceeded',
])

function asCapacityError(error: unknown): unknown {
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
    // Only one of the two, because ECS rejects both together.
    ...(request.spot
      ? { capacityProviderStrategy: [{ capacityProvider: 'FARGATE_SPOT', weight: 1 }] }
      : { launchType: 'FARGATE' as const }),
    count: 1,
    overrides: {
      ...(request.diskGb !== undefined && { ephemeralStorage: { sizeInGiB: request.diskGb } }),
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
          // The security group allows no inbound traffic to this address.
          assignPublicIp: publicAddress ? 'ENABLED' : 'DISABLED',
        },
      },
    }),
  })
}

/**
 * Converts the error of a failed RunTask to an error of the port. Any other error is returned unchanged, so that it is
 * retried.
 */
function classify(error: unknown): unknown {
  // ECS reports a used-up vCPU quota, and two concurrent registrations, with the same error class as a wrong request;
  // only the text differs.
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
