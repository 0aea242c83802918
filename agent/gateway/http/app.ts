import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { type Context, Hono, type MiddlewareHandler, type Next } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { requestId } from 'hono/request-id'
import { matchedRoutes } from 'hono/route'
import type { RequestListener } from 'node:http'
import type { Counters } from '../stats.ts'
import type { Log } from '../log.ts'
import { Problem, problemResponse, toProblem } from './problem.ts'

/** Where messages come in. */
export const messagesPath = '/v1/chat/completions'

/** What a request gathers on its way through the middleware. */
interface Variables {
  requestId: string
  /** Aborted when the caller goes away, or the gateway must stop before the answer is whole. */
  signal: AbortSignal
  /** Why the answer failed, also where it failed after its first byte. */
  failure?: unknown
  /** Resolves once a streamed answer has been said, or has failed. */
  streamed?: Promise<void>
}

export interface Env {
  Bindings: HttpBindings
  Variables: Variables
}

/** An app without routes: limits, errors, unknown paths and methods, and a log line a request. */
export function createApp(options: { log: Log; counters: Counters }): Hono<Env> {
  // Hono would decode the path before it looks for its route, and so show `/%68ealthz` without a token.
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

/** Carries an app on Node's HTTP server. */
export function listenerOf(app: Hono<Env>): RequestListener {
  const errorHandler = (cause: unknown): Response =>
    problemResponse(new Problem(400, 'invalid_request', 'The request is not valid', { cause }))
  return getRequestListener(app.fetch, { hostname: 'localhost', errorHandler })
}

/** A request's path as it came, without its query. */
export function pathOf(url = '/'): string {
  return url.split('?', 1)[0] ?? '/'
}

/**
 * Answers a request, and calls back once the answer is with the system, where the end of this process cannot take it
 * back, or its caller has left.
 */
export async function whenAnswered(c: Context<Env>, next: Next, finish: () => void): Promise<void> {
  const closed = new Promise<void>((resolve) => c.env.outgoing.once('close', () => resolve()))
  await next()
  void closed.then(() => c.get('streamed')).then(finish)
}

/** Asked all day long: that they are well is not worth a line, each of which costs. */
const probes = new Set(['/health', '/healthz', '/readyz'])

/** The path of the middleware, which is all that an unknown path matches. */
const unmatched = '/*'

/** Names the route and not the path: the name of a session or a note may say something about its owner. */
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
      if (probes.has(path) && status === 200 && failure === undefined) return
      log.request({ requestId, method, path, status, ms, failure })
    })
  }
}

function refuseMethod(c: Context, methods: string[]): Response {
  // Hono answers HEAD wherever it answers GET, which goes without saying.
  const allow = methods.filter((method) => method !== 'HEAD').join(', ')
  const message = `${c.req.method} is not allowed here`
  return problemResponse(new Problem(405, 'method_not_allowed', message, { headers: { allow } }))
}
