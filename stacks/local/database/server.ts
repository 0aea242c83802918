import { once } from 'node:events'
import { createServer } from 'node:http'
import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { accessCheck, refusals } from '../clients/credentials.ts'
import { openEngine } from './engine.ts'
import { DatabaseError } from './errors.ts'
import type { Engine, EngineOptions } from './engine.ts'

export interface DatabaseOptions extends EngineOptions {
  /** A free one unless told. */
  port?: number
  /** The access key id that requests must be signed with; any when absent. */
  accessKeyId?: string | undefined
  /** How often expired items are swept; the real one takes up to days. */
  ttlSweepMs?: number
}

export interface Database {
  /** For the SDK clients' `endpoint`; any region does. */
  endpoint: string
  port: number
  /** Finishes the requests under way and releases the folder. */
  close(): Promise<void>
}

/** How long closing waits for requests that are still being received. */
const CLOSE_GRACE_MS = 500

const TARGET = /^DynamoDB_20120810\.(\w+)$/
const LOCAL_HOST = /^(127\.0\.0\.1|localhost)(:\d+)?$/

/** Starts the database on 127.0.0.1, speaking DynamoDB's JSON protocol. */
export async function startDatabase(options: DatabaseOptions): Promise<Database> {
  const engine = openEngine(options)
  const access = accessCheck(options.accessKeyId)
  const server = createServer(async (request, response) => {
    const answer = await outcome(engine, request, access)
    // While closing, no connection is kept for another request.
    if (!server.listening) response.setHeader('connection', 'close')
    reply(response, answer)
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

interface Answer {
  status: number
  body: object
}

function reply(response: ServerResponse, { status, body }: Answer): void {
  const json = JSON.stringify(body)
  response.writeHead(status, {
    'content-type': 'application/x-amz-json-1.0',
    'content-length': Buffer.byteLength(json),
    'x-amzn-requestid': randomUUID(),
  })
  response.end(json)
}

async function outcome(engine: Engine, request: IncomingMessage, access: Access): Promise<Answer> {
  try {
    const input = await receive(request)
    checkCaller(request, access)
    const operation = TARGET.exec(String(request.headers['x-amz-target']))?.[1] ?? ''
    return { status: 200, body: engine.call(operation, parse(input)) }
  } catch (error) {
    if (error instanceof DatabaseError) return { status: 400, body: error.body }
    const message = error instanceof Error ? error.message : String(error)
    process.emitWarning(error instanceof Error ? error : message)
    return { status: 500, body: new DatabaseError('InternalServerError', message).body }
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

function parse(text: string): object {
  try {
    const input: unknown = JSON.parse(text)
    if (input && typeof input === 'object') return input
  } catch {
    // The answer is the same as for JSON that is no object.
  }
  throw new DatabaseError('SerializationException', 'The request is not a JSON object')
}
