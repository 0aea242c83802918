/**
 * The thread of a service. It answers like the service's container. In front of a surface it listens on the surface's port
 * itself, so that its requests need no second thread, and forwards all other paths.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createRequire, enableCompileCache } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import { installDatabase } from '../functions/database.ts'
import { batchPerTurn } from '../functions/gather.ts'
import { sendOutput } from '../functions/output.ts'
import { closeServer, listen } from '../server/listen.ts'
import { routeTable } from '../surfaces/routes.ts'
import { parseTarget } from '../surfaces/target.ts'
import type { FromService, ServiceData, ServiceHandler, ToService } from './protocol.ts'
import { proxyTo } from './proxy.ts'

if (parentPort === null) throw new Error('this file runs as a worker thread')
const port = parentPort
const data = workerData as ServiceData
const send = batchPerTurn<FromService>((messages) => port.postMessage(messages))
sendOutput(send)
enableCompileCache(data.cacheDir)

const passOn = data.inFrontOf && passOnForeign(data.inFrontOf)
const environment = Promise.withResolvers<Record<string, string>>()
const answered = data.database
  ? installDatabase((message) => message.kind === 'ask' && send(message))
  : undefined

let handler: ServiceHandler | undefined
let loading: Promise<ServiceHandler> | undefined

/** Loads the service, with the first request that needs it. */
async function load(): Promise<ServiceHandler> {
  send({ kind: 'load' })
  Object.assign(process.env, await environment.promise)
  const loaded = createRequire(data.bundle)(data.bundle) as { handler: ServiceHandler }
  handler = loaded.handler
  return handler
}

/** Forwards a request for another function. @returns whether it did */
function passOnForeign({
  functions,
  surface,
  beyond,
  originSecret,
}: NonNullable<ServiceData['inFrontOf']>) {
  const routeOf = routeTable(functions as Parameters<typeof routeTable>[0], surface)
  const toSurface = proxyTo(beyond, originSecret)
  return (message: IncomingMessage, out: ServerResponse): boolean => {
    const target = parseTarget(message.url ?? '/')
    if (target !== undefined && routeOf(target.pathname)?.spec.name === data.name) return false
    toSurface(message, out)
    return true
  }
}

async function serve(message: IncomingMessage, out: ServerResponse): Promise<void> {
  ;(await (loading ??= load())).handle(message, out)
}

const server = createServer({ keepAliveTimeout: 60_000 }, (message, out) => {
  if (passOn?.(message, out) === true) return
  if (handler !== undefined) handler.handle(message, out)
  else void serve(message, out)
})

async function close(graceMs: number): Promise<void> {
  const closed = closeServer(server, graceMs)
  await handler?.finish(graceMs)
  await closed
  send({ kind: 'closed' })
}

port.on('message', (message: ToService) => {
  if (message.kind === 'answers')
    for (const { id, answer } of message.answers) answered?.(id, answer)
  else if (message.kind === 'environment') environment.resolve(message.values)
  else void close(message.graceMs)
})

listen(server, data.port).then(
  (listening) => send({ kind: 'listening', port: listening }),
  (error: Error & { cause?: { code?: string }; code?: string }) =>
    send({ kind: 'cannot-listen', code: error.code ?? error.cause?.code ?? error.message }),
)
