import type { RequestListener } from 'node:http'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { type Context, Hono, type MiddlewareHandler, type Next } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { requestId } from 'hono/request-id'
import { matchedRoutes } from 'hono/route'
import type { Log } from '../log.ts'
import type { Counters } from '../stats.ts'
import { Problem, problemResponse, toProblem } from './problem.ts'

/** The path for messages. */
export const messagesPath = '/v1/chat/completions'

/** The state that the middleware adds to a request. */
interface Variables {
  requestId: string
  /** Aborted when the caller disconnects, or when a stopping gateway cuts the response. */
  signal: AbortSignal
  /** The reason why the response failed, even after its first byte. */
  failure?: unknown
  /** Resolves when a streamed response has been sent or has failed. */
  streamed?: Promise<void>
}

export interface Env {
  Bindings: HttpBindings
  Variables: Variables
}

/** Creates an app without routes, with limits, errors, unknown paths and methods, and a log line per request. */
export function createApp(options: { log: Log; counters: Counters }): Hono<Env> {
  // Hono would decode the path before routing, and so serve `/%68ealthz` without a token.
  const app = new Hono<Env>({ getPath: (_, { env } = {}) => pathOf(env?.incoming.url) })
  app.use(
    requestId({ limitLength: 128 }),
    oneLogLine(options),
    methodNotAllowed({ app, onMethodNotAllowed: refuseMethod }),
  )
  app.notFound(() =>
    problemResponse(new Problem(404, 'unknown_path', 'There is nothing at this path')),
  )
  app.onError((error, c) => {
    c.set('failure', error)
    return problemResponse(toProblem(error))
  })
  return app
}

/** Connects an app to Node's HTTP server. */
export function listenerOf(app: Hono<Env>): RequestListener {
  const errorHandler = (cause: unknown): Response =>
    problemResponse(new Problem(400, 'invalid_request', 'The request is not valid', { cause }))
  return getRequestListener(app.fetch, { hostname: 'localhost', errorHandler })
}

/** Returns the path of a request without decoding and without the query. */
export function pathOf(url = '/'): string {
  return url.split('?', 1)[0] ?? '/'
}

/**
 * Handles a request and calls `finish` when the response has been passed to the system, so that the end of this process
 * cannot lose it, or when the caller has disconnected.
 */
export async function whenAnswered(c: Context<Env>, next: Next, finish: () => void): Promise<void> {
  const closed = new Promise<void>((resolve) => c.env.outgoing.once('close', () => resolve()))
  await next()
  void closed.then(() => c.get('streamed')).then(finish)
}

/** The platform's own requests. They are frequent, and log lines cost money, so successful ones are not logged. */
const ofPlatform = new Set(['/health', '/healthz', '/readyz', '/files/sync'])

/** The path of the middleware. An unknown path matches nothing else. */
const unmatched = '/*'

/** Logs the route and not the path, because the name of a session or note may be personal. */
function oneLogLine({ log, counters }: { log: Log; counters: Counters }): MiddlewareHandler<Env> {
  return async (c, next) => {
    const startedAt = performance.now()
    await whenAnswered(c, next, () => {
      const { method } = c.req
      const path = matchedRoutes(c).findLast((route) => route.path !== unmatched)?.path ?? unmatched
      const { statusCode: status, writableFinished } = c.env.outgoing
      const { requestId, failure } = c.var
      const ms = Math.round(performance.now() - startedAt)
      if (path === messagesPath && method === 'POST') {
        counters.count({ failed: failure !== undefined || status >= 400 || !writableFinished, ms })
      }
      if (ofPlatform.has(path) && status === 200 && failure === undefined) return
      log.request({ requestId, method, path, status, ms, failure })
    })
  }
}

function refuseMethod(c: Context, methods: string[]): Response {
  // Hono answers HEAD for every GET, so HEAD is not listed.
  const allow = methods.filter((method) => method !== 'HEAD').join(', ')
  const message = `${c.req.method} is not allowed here`
  return problemResponse(new Problem(405, 'method_not_allowed', message, { headers: { allow } }))
}

/** Calls `act` for each request, with true if the platform says in it that the agent has connections. */
export function noteConnections(act: (exist: boolean) => void): MiddlewareHandler<Env> {
  return (c, next) => {
    act(c.req.header('platform-connections') === '1')
    return next()
  }
}
