import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DynamoDBClient,
} from '@aws-sdk/client-dynamodb'
import { DescribeClustersCommand, ECSClient } from '@aws-sdk/client-ecs'
import {
  type FunctionConfiguration,
  GetFunctionRecursionConfigCommand,
  LambdaClient,
  paginateListFunctions,
} from '@aws-sdk/client-lambda'
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs'
import * as z from 'zod'
import {
  functions,
  functionsInLoops,
  queues,
  queueVariable,
  surfaces,
  visibilitySeconds,
} from '#shared/manifest/index.ts'
import { isThrowaway } from '#stacks/stage.ts'
import { type Finding, finding } from '../preflight/finding.ts'
import { nameAtAws, type Stage } from '../stage/settings.ts'

/** A stage and its Lambda functions at AWS, by the names of the manifest. */
export interface Deployed extends Stage {
  functions: ReadonlyMap<string, FunctionConfiguration>
}

/** Reads the functions of a stage. @throws the SDK's error */
export async function readDeployed(stage: Stage): Promise<Deployed> {
  const names = new Map(functions.map(({ name }) => [nameAtAws(stage.stage, name), name]))
  const found = new Map<string, FunctionConfiguration>()
  for await (const page of paginateListFunctions({ client: new LambdaClient({}) }, {}))
    for (const each of page.Functions ?? []) {
      // Not by a prefix: the stage `production` must not read `production-2`.
      const name = names.get(each.FunctionName ?? '')
      if (name !== undefined) found.set(name, each)
    }
  return { ...stage, functions: found }
}

/** Compares each function's runtime, architecture, memory, time limit and stage with the manifest. */
export function functionRows(deployed: Deployed): Finding[] {
  const { SERVICES = '', WORKERS_DOMAIN } = deployed.settings
  const services = new Set(SERVICES.split(',').map((name) => name.trim()))
  const lambdas = functions.filter(
    ({ name, edge }) => !services.has(name) && !(WORKERS_DOMAIN !== undefined && edge === true),
  )
  return summaryOf(
    'functions',
    lambdas.map(({ name, memoryMb, timeoutSeconds }) =>
      row(deployed, {
        what: `function ${name}`,
        found: describe(deployed.functions.get(name)),
        wanted: `nodejs24.x, arm64, ${memoryMb} MB, ${timeoutSeconds} s, stage ${deployed.stage}`,
      }),
    ),
  )
}

function describe(deployed: FunctionConfiguration | undefined): string {
  if (deployed === undefined) return 'does not exist'
  const { Runtime, Architectures = [], MemorySize, Timeout } = deployed
  const stage = deployed.Environment?.Variables?.['PLATFORM_STAGE']
  return `${Runtime}, ${Architectures.join()}, ${MemorySize} MB, ${Timeout} s, stage ${stage}`
}

const looping = functionsInLoops(functions)

/** Compares each function's recursion configuration with the loops of the manifest's messages. @throws the SDK's error */
export async function recursionRows(deployed: Deployed): Promise<Finding[]> {
  // Lambda allows 15 such requests per second, of all programs of the account.
  const lambda = new LambdaClient({ retryMode: 'adaptive', maxAttempts: 10 })
  const rows = [...deployed.functions.keys()].map(async (name) => {
    const FunctionName = nameAtAws(deployed.stage, name)
    const { RecursiveLoop } = await lambda.send(
      new GetFunctionRecursionConfigCommand({ FunctionName }),
    )
    return row(deployed, {
      what: `recursion of ${name}`,
      found: String(RecursiveLoop),
      wanted: looping.has(name) ? 'Allow' : 'Terminate',
    })
  })
  return summaryOf('recursion configurations', await Promise.all(rows))
}

const redrivePolicy = z.object({ maxReceiveCount: z.coerce.number() })

/** Compares each queue's visibility timeout and deliveries with the manifest. @throws the SDK's error */
export async function queueRows(deployed: Deployed): Promise<Finding[]> {
  const sqs = new SQSClient({})
  const consumers = functions.flatMap((consumer) =>
    consumer.trigger.kind === 'queue' ? [{ consumer, queue: consumer.trigger.queue }] : [],
  )
  const rows = consumers.map(async ({ consumer, queue }) => {
    const url = variableOf(deployed, queueVariable(queue), consumer.name)
    const maxReceives = queues.find(({ name }) => name === queue)?.maxReceives
    return row(deployed, {
      what: `queue ${queue}`,
      found: url === undefined ? 'has no consumer' : await describeQueue(sqs, url),
      wanted: `hidden for ${visibilitySeconds(consumer)} s, ${maxReceives} deliveries`,
    })
  })
  return summaryOf('queues', await Promise.all(rows))
}

async function describeQueue(sqs: SQSClient, QueueUrl: string): Promise<string> {
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl,
      AttributeNames: ['VisibilityTimeout', 'RedrivePolicy'],
    }),
  )
  const policy = redrivePolicy.parse(JSON.parse(Attributes?.RedrivePolicy ?? '{}'))
  return `hidden for ${Attributes?.VisibilityTimeout} s, ${policy.maxReceiveCount} deliveries`
}

/** Compares the table's state, protection and backups. @throws the SDK's error */
export async function tableRows(deployed: Deployed): Promise<Finding[]> {
  const TableName = variableOf(deployed, 'TABLE_NAME')
  const isProtected = !isThrowaway(deployed.stage)
  const wanted = `ACTIVE, ${isProtected ? 'protected' : 'not protected'}, point-in-time recovery ENABLED`
  if (TableName === undefined)
    return [row(deployed, { what: 'table', found: 'no function names it', wanted })]
  const dynamo = new DynamoDBClient({})
  const [{ Table }, { ContinuousBackupsDescription }] = await Promise.all([
    dynamo.send(new DescribeTableCommand({ TableName })),
    dynamo.send(new DescribeContinuousBackupsCommand({ TableName })),
  ])
  const protection = Table?.DeletionProtectionEnabled === true ? 'protected' : 'not protected'
  const recovery =
    ContinuousBackupsDescription?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus
  const found = `${Table?.TableStatus}, ${protection}, point-in-time recovery ${recovery}`
  return [row(deployed, { what: 'table', found, wanted })]
}

/** Checks that the agents' cluster is active. @throws the SDK's error */
export async function clusterRows(deployed: Deployed): Promise<Finding[]> {
  const cluster = nameAtAws(deployed.stage, 'agents')
  const { clusters = [] } = await new ECSClient({}).send(
    new DescribeClustersCommand({ clusters: [cluster] }),
  )
  const found = clusters[0]?.status ?? 'does not exist'
  return [row(deployed, { what: 'cluster', found, wanted: 'ACTIVE' })]
}

/** Asks each surface for its health at its public address. */
export async function healthRows(deployed: Deployed): Promise<Finding[]> {
  return Promise.all(
    surfaces.map(async (surface) => {
      const url = variableOf(deployed, `${surface.toUpperCase()}_URL`)
      const found =
        url === undefined ? 'no function has a setting with its address' : await healthOf(url)
      return finding(found === '200', {
        what: `surface ${surface}`,
        found,
        wanted: '200',
        todo: `curl ${url}/health/ready names the failed check: docs/operate/operations.md`,
      })
    }),
  )
}

/** The longest wait for a health check. A cold start takes about a second. */
const healthTimeoutMs = 10_000

/** Returns the status of the health check, or the reason why there is no response. */
async function healthOf(url: string): Promise<string> {
  try {
    const response = await fetch(`${url}/health/ready`, {
      signal: AbortSignal.timeout(healthTimeoutMs),
    })
    return String(response.status)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Returns a variable of one function, or of the first function that has it. */
function variableOf({ functions: all }: Deployed, name: string, of?: string): string | undefined {
  const candidates = of === undefined ? [...all.values()] : [all.get(of)]
  return candidates.map((each) => each?.Environment?.Variables?.[name]).find(Boolean)
}

function row({ stage }: Stage, each: Pick<Finding, 'what' | 'found' | 'wanted'>): Finding {
  const todo = `npx sst refresh --stage ${stage}, then npm run deploy -- --stage ${stage}`
  return finding(each.found === each.wanted, { ...each, todo })
}

/** Returns a row with the number of differences, and then the rows that differ. */
function summaryOf(what: string, rows: readonly Finding[]): Finding[] {
  const different = rows.filter(({ state }) => state !== 'ok')
  const all = `${rows.length} ${what}`
  return [
    finding(different.length === 0, {
      what: all,
      found: different.length === 0 ? 'as declared' : `${different.length} differ`,
      wanted: 'as declared',
      todo: 'see the rows below it',
    }),
    ...different,
  ]
}
