import {
  functions,
  functionsInLoops,
  queues,
  queueVariable,
  surfaces,
  visibilitySeconds,
} from '#shared/manifest/index.ts'
import {
  type Answer,
  json,
  jsonError,
  PlayedServer,
  type Request,
} from '../../stage/testing/played-server.ts'

interface PlayedFunction {
  memoryMb: number
  timeoutSeconds: number
  variables: Record<string, string>
  recursion: 'Allow' | 'Terminate'
}

const looping = functionsInLoops(functions)

/** The functions in a page of Lambda's list. */
const pageSize = 50

/** Fakes a stage `test` that is deployed as the manifest declares. A test changes its fields. */
export class PlayedStage extends PlayedServer {
  readonly functions = new Map<string, PlayedFunction>()
  /** Each queue by its URL. */
  readonly queues = new Map<string, { visibility: number; deliveries: number }>()
  table = { isProtected: false, recovery: 'ENABLED' }
  clusterStatus: string | undefined = 'ACTIVE'
  /** Surfaces whose health check fails. */
  readonly unhealthy = new Set<string>()

  override async listen(): Promise<this> {
    await super.listen()
    for (const { name, memoryMb, timeoutSeconds, trigger } of functions) {
      const variables: Record<string, string> = { PLATFORM_STAGE: 'test', TABLE_NAME: 'rows' }
      for (const surface of surfaces)
        variables[`${surface.toUpperCase()}_URL`] = `${this.url}/${surface}`
      if (trigger.kind === 'queue')
        variables[queueVariable(trigger.queue)] = `${this.url}/1/${trigger.queue}`
      const recursion = looping.has(name) ? 'Allow' : 'Terminate'
      this.functions.set(name, { memoryMb, timeoutSeconds, variables, recursion })
    }
    for (const { name, maxReceives } of queues) {
      const consumer = functions.find(
        ({ trigger }) => trigger.kind === 'queue' && trigger.queue === name,
      )
      if (consumer === undefined) throw new Error(`no function consumes ${name}`)
      const visibility = visibilitySeconds(consumer)
      this.queues.set(`${this.url}/1/${name}`, { visibility, deliveries: maxReceives })
    }
    return this
  }

  protected override answer(request: Request): Answer {
    const { service, operation, path, input } = request
    if (path.endsWith('/health/ready'))
      return this.unhealthy.has(path.split('/')[1] ?? '') ? [503, '{}'] : [200, '{}']
    switch (service) {
      case 'sts':
        return [200, '<GetCallerIdentityResponse><Account>1</Account></GetCallerIdentityResponse>']
      case 'lambda':
        return this.#lambda(request)
      case 'sqs': {
        const queue = this.queues.get(String(input['QueueUrl']))
        return queue === undefined
          ? jsonError('QueueDoesNotExist', 'The specified queue does not exist.')
          : json({
              Attributes: {
                VisibilityTimeout: String(queue.visibility),
                RedrivePolicy: JSON.stringify({ maxReceiveCount: queue.deliveries }),
              },
            })
      }
      case 'ecs':
        return json({
          clusters: this.clusterStatus === undefined ? [] : [{ status: this.clusterStatus }],
        })
      case 'dynamodb':
        if (input['TableName'] !== 'rows')
          return jsonError('ResourceNotFoundException', 'Requested resource not found')
        return json(
          operation === 'DescribeTable'
            ? {
                Table: {
                  TableStatus: 'ACTIVE',
                  DeletionProtectionEnabled: this.table.isProtected,
                },
              }
            : {
                ContinuousBackupsDescription: {
                  PointInTimeRecoveryDescription: {
                    PointInTimeRecoveryStatus: this.table.recovery,
                  },
                },
              },
        )
      default:
        return jsonError('UnknownOperationException', service)
    }
  }

  /** Returns a function's recursion configuration, or a page of functions, among them one of the stage `test-2`. */
  #lambda({ path, query }: Request): Answer {
    const [, named] =
      /\/functions\/agent-platform-test-([\w-]+)\/recursion-config$/.exec(path) ?? []
    if (named !== undefined) return json({ RecursiveLoop: this.functions.get(named)?.recursion })
    const all = [
      {
        FunctionName: 'agent-platform-test-2-checks',
        Environment: { Variables: { PLATFORM_STAGE: 'test-2', TABLE_NAME: 'another' } },
      },
      ...[...this.functions].map(([name, { memoryMb, timeoutSeconds, variables }]) => ({
        FunctionName: `agent-platform-test-${name}`,
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        MemorySize: memoryMb,
        Timeout: timeoutSeconds,
        Environment: { Variables: variables },
      })),
    ]
    const from = Number(query.get('Marker') ?? 0)
    const next = from + pageSize
    return json({
      Functions: all.slice(from, next),
      ...(next < all.length && { NextMarker: String(next) }),
    })
  }
}
