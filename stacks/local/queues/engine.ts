import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdirSync } from 'node:fs'
import type { IncomingHttpHeaders, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buildApp } from 'fauxqs'
// The package's own start function listens on every interface, so this file assembles its parts. The package exports
// only that function, so internal paths are imported; its version is pinned.
import { PersistenceManager } from '../../../node_modules/fauxqs/dist/persistence.js'
import { S3Store } from '../../../node_modules/fauxqs/dist/s3/s3Store.js'
import { SnsStore } from '../../../node_modules/fauxqs/dist/sns/snsStore.js'
import { type SqsQueue, SqsStore } from '../../../node_modules/fauxqs/dist/sqs/sqsStore.js'
import { accessCheck, refusals } from '../clients/credentials.ts'
import { PortInUseError } from '../server/listen.ts'
import { traceAttribute } from './lineage.ts'

export interface QueueEngineOptions {
  /** The folder for messages. */
  dir: string
  /** 0 or absent picks a free one. */
  port?: number
  /** The required access key id; without it, every id passes. */
  accessKeyId?: string | undefined
}

export interface QueueEngine {
  endpoint: string
  port: number
  close(): Promise<void>
}

/**
 * Starts an SQS engine on loopback that stores its messages on disk: a message whose send succeeded survives a kill -9.
 * After a restart, messages in flight are visible immediately, because their receivers ended with the engine. A message
 * that its receiver returned with a delay (ChangeMessageVisibility) stays invisible for that delay, as in SQS.
 */
export async function startQueueEngine(options: QueueEngineOptions): Promise<QueueEngine> {
  mkdirSync(options.dir, { recursive: true })
  const persistence = new PersistenceManager(options.dir)
  // A commit is in the file when the call returns, as in the other engines. A disk sync for each message would only
  // protect against a power cut, and would block everything else in this process.
  persistence['db'].exec('PRAGMA synchronous = NORMAL')
  const sqsStore = new SqsStore()
  const snsStore = new SnsStore()
  persistence.loadSqsAndSns(sqsStore, snsStore)
  for (const queue of sqsStore.allQueues()) {
    for (const receipt of queue.inflightMessages.keys())
      if (!receipt.startsWith(givenBack)) queue.changeVisibility(receipt, 0)
    queue.persistence = persistence
    makeDurable(queue, persistence)
  }
  // The engine stores incorrectly that a message became visible early. Nothing needs this: a restart discards receipts.
  persistence.updateMessageReady = () => {}
  sqsStore.persistence = persistence
  const createQueue = sqsStore.createQueue.bind(sqsStore)
  sqsStore.createQueue = (...values) => {
    const queue = createQueue(...values)
    makeDurable(queue, persistence)
    return queue
  }

  // Queue URLs then use the address of the request, not a host name with a region that does not resolve.
  sqsStore.host = ''
  const app = buildApp({
    logger: false,
    stores: { sqsStore, snsStore, s3Store: new S3Store() },
  })
  app.addHook('onRequest', checkAccessKey(options.accessKeyId))
  app.addHook('onRequest', traced)
  const wanted = options.port ?? 0
  await app
    .listen({ port: wanted, host: '127.0.0.1' })
    .catch(async (error: NodeJS.ErrnoException) => {
      persistence.close()
      throw error.code === 'EADDRINUSE' ? new PortInUseError(wanted, { cause: error }) : error
    })
  const { port } = (app.server as Server).address() as AddressInfo
  const endpoint = `http://127.0.0.1:${port}`
  // The stored URLs have the port of an earlier run.
  for (const queue of sqsStore.allQueues()) {
    Object.assign(queue, { url: `${endpoint}${new URL(queue.url).pathname}` })
  }
  return {
    endpoint,
    port,
    async close() {
      await app.close()
      persistence.close()
    },
  }
}

/**
 * Returns a hook that refuses requests with a missing or unknown access key id. SQS's older protocol has its own error
 * names, which clients expect.
 */
function checkAccessKey(accessKeyId: string | undefined) {
  const access = accessCheck(accessKeyId)
  const names = { missing: 'MissingAuthenticationToken', invalid: 'InvalidClientTokenId' }
  return async (request: { headers: IncomingHttpHeaders }, reply: Reply) => {
    const refusal = access(request.headers.authorization)
    if (refusal === undefined) return undefined
    const { type, message } = refusals[refusal]
    reply.header('x-amzn-query-error', `${names[refusal]};Sender`)
    return reply.code(403).send({ __type: `com.amazon.coral.service#${type}`, message })
  }
}

/** Makes the trace header of a request available to the code that handles it. */
function traced(request: { headers: IncomingHttpHeaders }, _reply: Reply, next: () => void): void {
  requestTrace.run(String(request.headers['x-amzn-trace-id'] ?? ''), next)
}

/** The part of the engine's server reply that is used here. Its own types cannot be imported from this project. */
interface Reply {
  header(name: string, value: string): unknown
  code(status: number): { send(body: object): unknown }
}

/** The trace header of the current request; empty if it has none. */
const requestTrace = new AsyncLocalStorage<string>()

/** The prefix, on disk only, of the receipts of messages that were returned with a delay. */
const givenBack = 'given-back:'

/**
 * Makes receiving atomic: it updates a row for each message and moves messages to the dead-letter queue. Marks the row
 * of a message that was returned with a delay, to distinguish it from a message whose receiver died. Stores the trace
 * header of the request with each message that it sends.
 */
function makeDurable(queue: SqsQueue, persistence: PersistenceManager): void {
  const enqueue = queue.enqueue.bind(queue)
  queue.enqueue = (message) => {
    const trace = requestTrace.getStore()
    if (!trace) return enqueue(message)
    const attribute = { DataType: 'String', StringValue: trace }
    const messageAttributes = { ...message.messageAttributes, [traceAttribute]: attribute }
    return enqueue({ ...message, messageAttributes })
  }
  const dequeue = queue.dequeue.bind(queue)
  queue.dequeue = (...values) => {
    let received: ReturnType<typeof dequeue> = []
    persistence['transaction'](() => {
      received = dequeue(...values)
    })
    return received
  }
  const changeVisibility = queue.changeVisibility.bind(queue)
  queue.changeVisibility = (receipt, seconds) => {
    const entry = queue.inflightMessages.get(receipt)
    persistence['transaction'](() => {
      changeVisibility(receipt, seconds)
      if (entry === undefined) return
      const { message, visibilityDeadline: deadline } = entry
      const { messageId: id, approximateReceiveCount: count } = message
      const noted = seconds > 0 ? givenBack + receipt : receipt
      const first = message.approximateFirstReceiveTimestamp
      persistence.updateMessageInflight(id, noted, deadline, count, first)
    })
  }
}
