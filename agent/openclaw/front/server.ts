import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Counters } from '../../gateway/figures.ts'
import { createAuthorizer } from '../../gateway/http/authorize.ts'
import { sendJson } from '../../gateway/http/exchange.ts'
import { Problem } from '../../gateway/http/problem.ts'
import { refuseSocket } from '../../gateway/http/refuse-socket.ts'
import { findRoute, isOpen } from '../../gateway/http/router.ts'
import type { Log } from '../../gateway/log.ts'
import { memoryRoutes } from '../../gateway/routes/memory.ts'
import { sessionRoutes } from '../../gateway/routes/sessions.ts'
import { skillRoutes } from '../../gateway/routes/skills.ts'
import { statsRoutes } from '../../gateway/routes/stats.ts'
import { Skills } from '../../gateway/workspace/skills.ts'
import type { Child } from './child.ts'
import { OpenclawConversations } from './conversations.ts'
import { forward } from './forward.ts'
import { healthRoutes } from './health.ts'
import { OpenclawMemory } from './memory.ts'
import { consumptionOf } from './process-tree.ts'
import type { FrontSettings } from './settings.ts'
import { joinSocket } from './socket.ts'

/** Where messages come in. */
const messagesPath = '/v1/chat/completions'

/** The first segments of the paths that are answered here and not by OpenClaw. */
const own = new Set(['health', 'healthz', 'readyz', 'memory', 'sessions', 'skills', 'stats'])

export interface Front {
  server: Server
  readonly draining: boolean
  /** From now on the agent is not ready; OpenClaw decides what becomes of the work under way. */
  drain(): void
}

interface FrontOptions {
  settings: FrontSettings
  child: Pick<Child, 'pid' | 'port'>
  log: Log
}

/** Makes the server before OpenClaw: it checks the token, answers what the platform asks, and passes on the rest. */
export function createFront({ settings, child, log }: FrontOptions): Front {
  const { workspace, token, stateDir } = settings
  const { port } = child
  let draining = false
  const counters = new Counters(() => consumptionOf(process.pid))
  const authorize = createAuthorizer(token)
  const routes = [
    ...healthRoutes(port, () => draining),
    ...memoryRoutes(new OpenclawMemory(workspace)),
    ...sessionRoutes(new OpenclawConversations({ port, token, stateDir })),
    ...skillRoutes(new Skills(workspace)),
    ...statsRoutes(counters),
  ]

  const answer = async (
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
  ): Promise<string> => {
    const path = pathOf(request)
    if (!isOpen(routes, path)) authorize(request.headers.authorization)
    if (!own.has(path.split('/')[1] ?? '')) {
      await forward(request, response, port)
      return path === messagesPath ? path : '(runtime)'
    }
    const { route, params } = findRoute(routes, request.method ?? 'GET', path)
    const signal = AbortSignal.any([])
    await route.handle({ request, response, requestId, params, signal })
    return route.path
  }

  const server = createServer(async (request, response) => {
    const startedAt = performance.now()
    const requestId = randomUUID()
    const whenClosed = new Promise<void>((resolve) => response.once('close', resolve))
    let failure: unknown
    const path = await answer(request, response, requestId).catch((error: unknown) => {
      failure = error
      fail(response, error)
      return pathOf(request) === messagesPath ? messagesPath : '(refused)'
    })
    await whenClosed
    const ms = Math.round(performance.now() - startedAt)
    const { method } = request
    const { statusCode: status } = response
    if (path === messagesPath && method === 'POST') {
      counters.count({ failed: status >= 400 || !response.writableFinished, ms })
    }
    log.request({ requestId, method, path, status, ms, failure })
  })
  server.on('upgrade', (request, socket, head) => {
    try {
      authorize(request.headers.authorization)
      joinSocket(request, socket, head, port)
    } catch (error) {
      refuseSocket(socket, problemOf(error))
    }
  })
  return {
    server,
    get draining() {
      return draining
    },
    drain() {
      draining = true
    },
  }
}

function pathOf({ url }: IncomingMessage): string {
  return (url ?? '/').split('?', 1)[0] ?? '/'
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  return new Problem(500, 'internal_error', 'Something went wrong in the agent', { cause: error })
}

function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) {
    response.destroy()
    return
  }
  const { status, body, headers } = problemOf(error)
  sendJson({ response }, status, body, headers)
}
