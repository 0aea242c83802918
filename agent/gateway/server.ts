import { randomUUID } from 'node:crypto'
import { access, constants, mkdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { Counters } from './figures.ts'
import { createAuthorizer } from './http/authorize.ts'
import { sendJson } from './http/exchange.ts'
import type { Exchange } from './http/exchange.ts'
import { Problem } from './http/problem.ts'
import { findRoute, isOpen } from './http/router.ts'
import type { Log } from './log.ts'
import { chatRoutes } from './routes/chat.ts'
import { healthRoutes } from './routes/health.ts'
import { memoryRoutes } from './routes/memory.ts'
import { pageRoutes } from './routes/page.ts'
import { sessionRoutes } from './routes/sessions.ts'
import { skillRoutes } from './routes/skills.ts'
import { statsRoutes } from './routes/stats.ts'
import type { Settings } from './settings.ts'
import { Sockets } from './socket/sockets.ts'
import { Work, stopping } from './work.ts'
import { Memory } from './workspace/memory.ts'
import { Sessions } from './workspace/sessions.ts'
import { Skills } from './workspace/skills.ts'

/** Slow senders of a request are cut after this long. */
const requestTimeoutMs = 30_000

const options = {
  requestTimeout: requestTimeoutMs,
  // A client may offer another protocol, such as HTTP/2, with any request; that one is answered as it is.
  shouldUpgradeCallback: ({ headers }: IncomingMessage) =>
    headers.upgrade?.toLowerCase() === 'websocket',
}

/** Where messages come in. */
const messagesPath = '/v1/chat/completions'

/** Why an answer has no reader any more. */
const callerLeft = new Problem(499, 'caller_left', 'The caller closed the connection')

export type Gateway = { server: Server; work: Work; sockets: Sockets }

/** Makes the gateway's HTTP server; it does not listen yet. */
export async function createGateway(settings: Settings, log: Log): Promise<Gateway> {
  const { workspace } = settings
  await mkdir(workspace, { recursive: true })
  const work = new Work()
  const memory = new Memory(workspace)
  const sessions = new Sessions(workspace)
  const skills = new Skills(workspace)
  const counters = new Counters()
  const authorize = createAuthorizer(settings.token)

  const failing = async (): Promise<string[]> => {
    const usable = await access(workspace, constants.W_OK).then(
      () => true,
      () => false,
    )
    return [...(work.draining ? ['draining'] : []), ...(usable ? [] : ['workspace'])]
  }
  const agent = { settings, sessions, memory, skills }
  const sockets = new Sockets({ agent, work, counters, log }, authorize)
  const routes = [
    ...healthRoutes(failing),
    ...pageRoutes(),
    ...chatRoutes(agent),
    ...sessionRoutes(sessions),
    ...memoryRoutes(memory),
    ...skillRoutes(skills),
    ...statsRoutes(counters),
  ]

  const answer = async (request: IncomingMessage, answering: Answering): Promise<void> => {
    const { path } = answering
    if (!isOpen(routes, path)) authorize(request.headers.authorization)
    const { route, params } = findRoute(routes, request.method ?? 'GET', path)
    // The log names the route: a session's or a note's name may say something about its owner.
    answering.path = route.path
    if (work.draining && route.open !== true) throw stopping
    await route.handle({ request, params, ...answering })
  }

  /** The last answer that was begun on each connection, which is the last to end. */
  const answers = new WeakMap<Duplex, ServerResponse>()
  const server = createServer(options, async (request, response) => {
    answers.set(request.socket, response)
    const startedAt = performance.now()
    const { controller, done } = work.begin()
    const whenClosed = new Promise<void>((resolve) => response.once('close', resolve))
    void whenClosed.then(() => controller.abort(callerLeft))
    const answering = { response, signal: controller.signal, ...describe(request) }
    response.setHeader('x-request-id', answering.requestId)
    const failure = await answer(request, answering).catch((error: unknown) => {
      fail(answering, error)
      return error
    })
    // Only now is the answer with the system, where the end of this process cannot take it back.
    await whenClosed
    done()
    const ms = Math.round(performance.now() - startedAt)
    const { requestId, path } = answering
    const { method } = request
    if (path === messagesPath && method === 'POST')
      counters.count({ failed: failure !== undefined || response.statusCode >= 400, ms })
    log.request({ requestId, method, path, status: response.statusCode, ms, failure })
  })
  server.on('upgrade', (request, socket, head) => {
    // Two would write on it at once: no client asks for a WebSocket before it has read its answers.
    if (answers.get(socket)?.closed === false) return void socket.destroy()
    void sockets.accept(request, socket, head)
  })
  return { server, work, sockets }
}

type Answering = Pick<Exchange, 'response' | 'requestId' | 'signal'> & { path: string }

function describe(request: IncomingMessage): Pick<Answering, 'requestId' | 'path'> {
  const given = request.headers['x-request-id']
  const known = typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given)
  const path = (request.url ?? '/').split('?', 1)[0] ?? '/'
  return { requestId: known ? given : randomUUID(), path }
}

function fail({ response }: Answering, error: unknown): void {
  if (response.headersSent || response.destroyed) {
    response.destroy()
    return
  }
  const problem =
    error instanceof Problem
      ? error
      : new Problem(500, 'internal_error', 'Something went wrong in the agent', { cause: error })
  sendJson({ response }, problem.status, problem.body, problem.headers)
}
