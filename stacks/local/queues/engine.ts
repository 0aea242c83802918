import { mkdirSync } from 'node:fs'
import type { IncomingHttpHeaders, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buildApp } from 'fauxqs'
// The package's own start function listens on every interface, so its parts are put together here instead. It exports
// only that function, hence the paths; its version is pinned.
import { PersistenceManager } from '../../../node_modules/fauxqs/dist/persistence.js'
import { S3Store } from '../../../node_modules/fauxqs/dist/s3/s3Store.js'
import { SnsStore } from '../../../node_modules/fauxqs/dist/sns/snsStore.js'
import { type SqsQueue, SqsStore } from '../../../node_modules/fauxqs/dist/sqs/sqsStore.js'
import { accessCheck, refusals } from '../clients/credentials.ts'
import { PortInUseError } from '../server/listen.ts'

export interface QueueEngineOptions {
  /** Where messages are kept. */
  dir: string
  /** 0 or absent picks a free one. */
  port?: number
  /** The access key id that requests must be signed with; any when absent. */
  accessKeyId?: string | undefined
}

export interface QueueEngine {
  endpoint: string
  port: number
  close(): Promise<void>
}

/**
 * An SQS engine on loopback that keeps its messages on disk: a message whose send was answered outlives a kill -9.
 * The receivers of messages lived no longer than the engine, so what they held is visible again at once. What a receiver
 * has given back with a wait (ChangeMessageVisibility) still waits for its time, as in SQS: a restart costs it no receive.
 */
export async function startQueueEngine(options: QueueEngineOptions): Promise<QueueEngine> {
  mkdirSync(options.dir, { recursive: true })
  const persistence = new PersistenceManager(options.dir)
  // As in the other engines, a commit is in the file when the call returns. A sync of the disk for each message would
  // guard against nothing but a power cut, and everything else in this process would wait for it.
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
  // The engine fails to write that a message is visible again before its time. It need not: a row's receipt counts for
  // nothing after a restart.
  persistence.updateMessageReady = () => {}
  sqsStore.persistence = persistence
  const createQueue = sqsStore.createQueue.bind(sqsStore)
  sqsStore.createQueue = (...values) => {
    const queue = createQueue(...values)
    makeDurable(queue, persistence)
    return queue
  }

  // Queue URLs then carry the address that was asked, not one with a region in front that no resolver knows.
  sqsStore.host = ''
  const app = buildApp({
    logger: false,
    stores: { sqsStore, snsStore, s3Store: new S3Store() },
  })
  app.addHook('onRequest', refuseStrangers(options.accessKeyId))
  const wanted = options.port ?? 0
  await app
    .listen({ port: wanted, host: '127.0.0.1' })
    .catch(async (error: NodeJS.ErrnoException) => {
      persistence.close()
      throw error.code === 'EADDRINUSE' ? new PortInUseError(wanted, { cause: error }) : error
    })
  const { port } = (app.server as Server).address() as AddressInfo
  const endpoint = `http://127.0.0.1:${port}`
  // The engine keeps the address of the run that made a queue; the port may be another one now.
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

/** A hook before every request. The older of SQS's two protocols has names of its own, and clients read those. */
function refuseStrangers(accessKeyId: string | undefined) {
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

/** What is needed of an answer of the engine's server, whose own types are not this project's to import. */
interface Reply {
  header(name: string, value: string): unknown
  code(status: number): { send(body: object): unknown }
}

/** What the receipts of messages begin with, on disk alone, that were given back with a wait. */
const givenBack = 'given-back:'

/**
 * Receiving writes a row a message and moves spent ones to the dead-letter queue: all of it or nothing. The row of a
 * message that is given back says so, which tells it from one whose receiver died.
 */
function makeDurable(queue: SqsQueue, persistence: PersistenceManager): void {
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
