import { join } from 'node:path'
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import type { FunctionSpec, QueueName, QueueSpec } from '#shared/manifest/index.ts'
import { agentFamilies } from './agent-families.ts'
import type { AgentRuntime } from './agent-runtime.ts'
import type { LocalCredentials } from './clients/credentials.ts'
import { startContainers } from './containers/start.ts'
import type { Consumed } from './database/meter.ts'
import { type Database, startDatabase } from './database/server.ts'
import { type Objects, startObjects } from './objects/server.ts'
import { startOutbox } from './outbox/server.ts'
import { type Payments, startPayments } from './payments.ts'
import { startProvider } from './provider/server.ts'
import { asciiJson } from './queues/ascii-json.ts'
import { createQueues } from './queues/create.ts'
import { startQueueEngine } from './queues/engine.ts'
import type { Secrets } from './secrets/secrets.ts'
import type { StackSettings } from './settings/settings.ts'
import { cannotListen } from './surfaces/ports.ts'
import { createTable } from './table/create.ts'
import { startSweeping } from './volumes/start-sweeping.ts'

export const tableName = 'platform'
export const clusterName = 'platform'

export interface EnginesOptions {
  dataDir: string
  /** The folder for compiled code, kept between starts. */
  cacheDir: string
  runtime: AgentRuntime
  settings: StackSettings
  secrets: Secrets
  /** The access key that the engines require. */
  credentials: LocalCredentials
  functions: readonly FunctionSpec[]
  queues: readonly QueueSpec[]
  visibility?: Partial<Record<QueueName, number>> | undefined
  wordMs?: number | undefined
  onConsumed?: ((consumed: Consumed) => void) | undefined
}

export interface Engines {
  endpoints: { dynamodb: string; sqs: string; ecs: string; ses: string; s3: string }
  /** The embedded database; undefined if DYNAMODB_ENDPOINT names another one. */
  database: Database | undefined
  objects: Objects
  queueUrls: Record<QueueName, string>
  sqs: SQSClient
  /** Base URL of the stand-in model provider, if it runs. */
  standInProvider: string | undefined
  /** The stand-in checkout, if it runs. */
  payments: Payments | undefined
  /** Stops the agents. The events about their end are still queued. */
  stopContainers(): Promise<void>
  /** Stops everything else. */
  close(): Promise<void>
}

/** Starts the engines: the database with its table, queues, containers, outbox, objects and stand-ins. */
export async function startEngines(options: EnginesOptions): Promise<Engines> {
  const { dataDir, settings, credentials } = options
  await using started = new AsyncDisposableStack()
  const keep = async <T extends { close(): Promise<void> }>(starting: Promise<T>): Promise<T> => {
    const engine = await starting
    started.defer(() => engine.close())
    return engine
  }
  const { accessKeyId } = credentials.credentials
  const guarded = (name: string) => ({ dir: join(dataDir, name), accessKeyId })

  const database =
    settings.engines.dynamodb === undefined
      ? await keep(startDatabase({ ...guarded('database'), onConsumed: options.onConsumed }))
      : undefined
  const dynamodb = settings.engines.dynamodb ?? database?.endpoint ?? ''
  const startQueues = () =>
    startQueueEngine({ ...guarded('queues'), port: settings.ports.queues }).catch(
      cannotListen('QUEUE_PORT'),
    )
  const sqsEndpoint = settings.engines.sqs ?? (await keep(startQueues())).endpoint
  const outbox = await keep(startOutbox(guarded('outbox')))
  const objects = await keep(startObjects(guarded('objects')))
  const provider = settings.standIn
    ? await keep(startProvider({ wordMs: options.wordMs ?? 0 }))
    : undefined
  const payments = settings.standInCheckout
    ? await keep(startPayments({ ...options, dir: join(dataDir, 'checkout') }))
    : undefined
  const sqs = started.adopt(new SQSClient({ endpoint: sqsEndpoint, ...credentials }), (client) =>
    client.destroy(),
  )
  await createTable(dynamodb, tableName, credentials)
  const queueUrls = await createQueues(sqs, options)
  const containers =
    settings.engines.ecs === undefined ? await startAgents(options, sqs, queueUrls) : undefined
  if (containers !== undefined && settings.engines.dynamodb === undefined) {
    const sweeping = startSweeping(containers, { endpoint: dynamodb, tableName, credentials })
    started.defer(() => sweeping.close())
  }

  const engines = started.move()
  let stopping: Promise<void> | undefined
  return {
    endpoints: {
      dynamodb,
      sqs: sqsEndpoint,
      ecs: settings.engines.ecs ?? containers?.endpoint ?? '',
      ses: outbox.endpoint,
      s3: objects.endpoint,
    },
    database,
    objects,
    queueUrls,
    sqs,
    standInProvider: provider?.baseUrl,
    payments,
    stopContainers: () => (stopping ??= containers?.close() ?? Promise.resolve()),
    close: () => engines.disposeAsync(),
  }
}

/** Starts the container engine. Its events go to the task-events queue, where EventBridge sends them on AWS. */
function startAgents(
  { dataDir, cacheDir, runtime, credentials }: EnginesOptions,
  sqs: SQSClient,
  queueUrls: Record<QueueName, string>,
) {
  return startContainers({
    dir: join(dataDir, 'containers'),
    cluster: clusterName,
    accessKeyId: credentials.credentials.accessKeyId,
    families: agentFamilies(runtime, join(cacheDir, 'agents')),
    images: Object.fromEntries(runtime.images.map((image) => [image, {}])),
    onTaskEvent: async (event) => {
      const message = { QueueUrl: queueUrls['task-events'], MessageBody: asciiJson(event) }
      await sqs.send(new SendMessageCommand(message))
    },
  })
}
