import { once } from 'node:events'
import { createServer } from 'node:http'
import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { accessCheck, refusals } from '../clients/credentials.ts'
import { type Answer, answer, failure } from './answer.ts'
import { openEngine } from './engine.ts'
import { DatabaseError } from './errors.ts'
import type { Engine, EngineOptions } from './engine.ts'
import { type Consumed, metered } from './meter.ts'

export interface DatabaseOptions extends EngineOptions {
  /** A free one unless told. */
  port?: number
  /** The access key id that requests must be signed with; any when absent. */
  accessKeyId?: string | undefined
  /** How often expired items are swept; the real one takes up to days. */
  ttlSweepMs?: number
  /** Told of each request what it would be charged. */
  onConsumed?: ((consumed: Consumed) => void) | undefined
}

export interface Database {
  /** For the SDK clients' `endpoint`; any region does. */
  endpoint: string
  port: number
  /** Runs an operation for who shares this process, without the way over HTTP. */
  call(operation: string, input: string): Answer
  /** Finishes the requests under way and releases the folder. */
  close(): Promise<void>
}

/** How long closing waits for requests that are still being received. */
const CLOSE_GRACE_MS = 500

const TARGET = /^DynamoDB_20120810\.(\w+)$/
const LOCAL_HOST = /^(127\.0\.0\.1|localhost)(:\d+)?$/

/** Starts the database on 127.0.0.1, speaking DynamoDB's JSON protocol. */
export async function startDatabase(options: DatabaseOptions): Promise<Database> {
  const { onConsumed } = options
  const opened = openEngine(options)
  const engine = onConsumed === undefined ? opened : metered(opened, onConsumed)
  const access = accessCheck(options.accessKeyId)
  const server = createServer(async (request, response) => {
    const given = await outcome(engine, request, access)
    // While closing, no connection is kept for another request.
    if (!server.listening) response.setHeader('connection', 'close')
    reply(response, given)
  })
  server.listen(options.port ?? 0, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    engine.close()
    throw error
  }
  const sweep = () => {
    if (server.listening && engine.sweep()) setImmediate(sweep)
  }
  const sweeper = setInterval(sweep, options.ttlSweepMs ?? 5000)
  const { port } = server.address() as AddressInfo
  return {
    endpoint: `http://127.0.0.1:${port}`,
    port,
    call: (operation, input) => answer(engine, operation, input),
    async close() {
      clearInterval(sweeper)
      const closed = once(server, 'close')
      server.close()
      const impatience = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS)
      await closed
      clearTimeout(impatience)
      engine.close()
    },
  }
}

type Access = ReturnType<typeof accessCheck>

function reply(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, {
    'content-type': 'application/x-amz-json-1.0',
    'content-length': Buffer.byteLength(body),
    'x-amzn-requestid': randomUUID(),
  })
  response.end(body)
}

async function outcome(engine: Engine, request: IncomingMessage, access: Access): Promise<Answer> {
  try {
    const input = await receive(request)
    checkCaller(request, access)
    const operation = TARGET.exec(String(request.headers['x-amz-target']))?.[1] ?? ''
    return answer(engine, operation, input)
  } catch (error) {
    return failure(error)
  }
}

/**
 * Requests of strangers and requests to another host name are refused, so that a page in a browser cannot reach the
 * database by rebinding its own name to 127.0.0.1.
 */
function checkCaller({ method, headers }: IncomingMessage, access: Access): void {
  if (method !== 'POST' || !LOCAL_HOST.test(headers.host ?? '')) {
    throw new DatabaseError('UnknownOperationException', '')
  }
  const refusal = access(headers.authorization)
  if (refusal !== undefined) {
    throw new DatabaseError(refusals[refusal].type, refusals[refusal].message)
  }
}

async function receive(request: IncomingMessage): Promise<string> {
  try {
    return await text(request)
  } catch {
    // The caller hung up, so no answer can be read.
    throw new DatabaseError('SerializationException', 'The request ended early')
  }
}
