import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { accessCheck, refusals } from '#stacks/local/clients/credentials.ts'
import type { Engine } from '../engine.ts'
import { logOperations } from '../logs/operations/index.ts'
import { operations } from '../operations/index.ts'
import { Fault } from './fault.ts'

/** The supported services by the prefix of X-Amz-Target. */
const services = [
  { prefix: 'AmazonEC2ContainerServiceV20141113.', operations },
  { prefix: 'Logs_20140328.', operations: logOperations },
]
const longestBody = 1024 * 1024

/**
 * Serves the ECS API, and the part of CloudWatch Logs that reads a task's output: AWS JSON 1.1, `POST /`, the operation in
 * X-Amz-Target.
 * @param accessKeyId the required access key id; without it, every id passes
 */
export function createEcsServer(engine: Engine, accessKeyId?: string): Server {
  const access = accessCheck(accessKeyId)
  return createServer((request, response) => {
    void answer(engine, request, access).then(({ status, body }) => send(response, status, body))
  })
}

interface Answer {
  status: number
  body: object
}

async function answer(
  engine: Engine,
  request: IncomingMessage,
  access: ReturnType<typeof accessCheck>,
): Promise<Answer> {
  try {
    if (!isLoopback(request.headers.host))
      return { status: 403, body: { message: 'Not this host' } }
    if (request.method !== 'POST' || request.url !== '/') {
      return { status: 404, body: { message: 'Not found' } }
    }
    const text = await read(request)
    const refusal = access(request.headers.authorization)
    if (refusal) throw new Fault(refusals[refusal].type, refusals[refusal].message)
    const body = parse(text)
    if (engine.closing) return serverFault(503, 'The container engine is shutting down.')
    if (engine.trouble().throttled) throw new Fault('ThrottlingException', 'Rate exceeded')
    const run = find(request.headers['x-amz-target'])
    return { status: 200, body: await run(engine, body) }
  } catch (error) {
    if (error instanceof Fault) {
      return {
        status: 400,
        body: { __type: error.type, message: error.message, ...error.members },
      }
    }
    if (request.complete) process.emitWarning(error instanceof Error ? error : String(error))
    return serverFault(500, 'The container engine failed.')
  }
}

const serverFault = (status: number, message: string): Answer => ({
  status,
  body: { __type: 'ServerException', message },
})

/** Rejects other host names, so that a page in a browser cannot reach the engine by DNS rebinding. */
function isLoopback(host: string | undefined): boolean {
  return host !== undefined && /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(host)
}

function find(target: string | string[] | undefined) {
  const name = String(target)
  const service = services.find(({ prefix }) => name.startsWith(prefix))
  const operation = service?.operations.get(name.slice(service.prefix.length))
  if (!operation) throw new Fault('UnknownOperationException', `No such operation: ${name}`)
  return operation
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length <= longestBody) chunks.push(chunk)
  }
  if (length > longestBody) throw new Fault('ClientException', 'The request is too large.')
  return Buffer.concat(chunks).toString()
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Fault('SerializationException', 'The request is not JSON.')
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body)
  response
    .writeHead(status, {
      'content-type': 'application/x-amz-json-1.1',
      'content-length': Buffer.byteLength(text),
      'x-amzn-requestid': randomUUID(),
    })
    .end(text)
}
