import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { accessCheck, refusals } from '../clients/credentials.ts'
import { type DatabaseResponse, answer, failure } from './answer.ts'
import { openEngine } from './engine.ts'
import type { Engine, EngineOptions } from './engine.ts'
import { DatabaseError } from './errors.ts'
import { type Consumed, metered } from './meter.ts'

export interface DatabaseOptions extends EngineOptions {
  /** Default: a free port. */
  port?: number
  /** The required access key id; without it, every id passes. */
  accessKeyId?: string | undefined
  /** The interval between sweeps of expired items. DynamoDB itself takes up to days. */
  ttlSweepMs?: number
  /** Receives the consumption of each request. */
  onConsumed?: ((consumed: Consumed) => void) | undefined
}

export interface Database {
  /** The `endpoint` option of SDK clients. Any region works. */
  endpoint: string
  port: number
  /** Runs an operation for callers in this process, without HTTP. */
  call(operation: string, input: string): DatabaseResponse
  /** Finishes the active requests and releases the folder. */
  close(): Promise<void>
}

/** The time, in milliseconds, that closing waits for requests whose bodies are still arriving. */
const CLOSE_GRACE_MS = 500

const TARGET = /^DynamoDB_20120810\.(\w+)$/
const LOCAL_HOST = /^(127\.0\.0\.1|localhost)(:\d+)?$/

/** Starts the database on 127.0.0.1 with DynamoDB's JSON protocol. */
export async function startDatabase(options: DatabaseOptions): Promise<Database> {
  const { onConsumed } = options
  const opened = openEngine(options)
  const engine = onConsumed === undefined ? opened : metered(opened, onConsumed)
  const access = accessCheck(options.accessKeyId)
  const server = createServer(async (request, response) => {
    const result = await outcome(engine, request, access)
    // While the server closes, no connection is kept alive.
    if (!server.listening) response.setHeader('connection', 'close')
    reply(response, result)
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

function reply(response: ServerResponse, { status, body }: DatabaseResponse): void {
  response.writeHead(status, {
    'content-type': 'application/x-amz-json-1.0',
    'content-length': Buffer.byteLength(body),
    'x-amzn-requestid': randomUUID(),
  })
  response.end(body)
}

async function outcome(
  engine: Engine,
  request: IncomingMessage,
  access: Access,
): Promise<DatabaseResponse> {
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
 * Rejects requests without the access key id and requests to other host names, so that a page in a browser cannot reach the
 * database by DNS rebinding.
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
    // The caller disconnected and cannot read a response.
    throw new DatabaseError('SerializationException', 'The request ended early')
  }
}
