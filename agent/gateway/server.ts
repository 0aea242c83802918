import { access, constants, mkdir } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import type { MiddlewareHandler } from 'hono'
import type { Files } from '../files/files.ts'
import { filesRoutes } from '../files/route.ts'
import { Bus } from './bus/client.ts'
import { InboxMark } from './bus/mark.ts'
import type { Agent } from './chat/complete.ts'
import { fileTooling } from './files/tools.ts'
import { createApp, type Env, listenerOf, whenAnswered, noteConnections } from './http/app.ts'
import { createAuthorizer, guard } from './http/authorize.ts'
import { callerDisconnected } from './http/problem.ts'
import { endWithLeases } from './lease.ts'
import type { Log } from './log.ts'
import { Mcp } from './mcp/client.ts'
import { ConnectionTools } from './mcp/connections.ts'
import { OwnTools } from './mcp/tools.ts'
import type { OutputBudget } from './output/budget.ts'
import { chatRoutes } from './routes/chat.ts'
import { healthRoutes } from './routes/health.ts'
import { memoryRoutes } from './routes/memory.ts'
import { pageRoutes } from './routes/page.ts'
import { sessionRoutes } from './routes/sessions.ts'
import { skillRoutes } from './routes/skills.ts'
import { statsRoutes } from './routes/stats.ts'
import type { Settings } from './settings.ts'
import { Sockets } from './socket/sockets.ts'
import { Counters } from './stats.ts'
import { trafficOf } from './traffic.ts'
import { Work, stopping } from './work.ts'
import { Memory } from './workspace/memory.ts'
import { Sessions } from './workspace/sessions.ts'
import { Skills } from './workspace/skills.ts'

const serverOptions = {
  // Times out slow request senders.
  requestTimeout: 30_000,
  // A client may offer another protocol, such as HTTP/2, with any request. Such a request is handled as HTTP/1.1.
  shouldUpgradeCallback: ({ headers }: IncomingMessage) =>
    headers.upgrade?.toLowerCase() === 'websocket',
}

export interface Gateway {
  server: Server
  work: Work
  sockets: Sockets
  agent: Agent
}

/** Creates the gateway's HTTP server; it does not listen yet. */
export async function createGateway({
  settings,
  log,
  budget,
  keptFiles,
}: {
  settings: Settings
  log: Log
  budget: OutputBudget
  keptFiles: Files | undefined
}): Promise<Gateway> {
  const { workspace } = settings
  await mkdir(workspace, { recursive: true })
  const work = new Work()
  const memory = new Memory(workspace)
  const sessions = new Sessions(workspace)
  const skills = new Skills(workspace)
  const traffic = trafficOf(settings, budget)
  const counters = new Counters(traffic)
  const authorize = createAuthorizer(settings.token)
  const bus = settings.bus
    ? { client: new Bus(settings), mark: new InboxMark(workspace) }
    : undefined
  const { ai, mcp } = settings
  const ownTools = mcp && new OwnTools(new Mcp({ ai, mcp }), keptFiles)
  const connectionTools = new ConnectionTools(settings)
  const files = settings.files ? fileTooling(join(workspace, 'workspace')) : undefined
  const agent = { settings, sessions, memory, skills, bus, files, ownTools, connectionTools }
  const sockets = new Sockets({ agent, work, counters, log }, authorize)

  const failing = async (): Promise<string[]> => {
    const usable = await access(workspace, constants.W_OK).then(
      () => true,
      () => false,
    )
    return [...(work.draining ? ['draining'] : []), ...(usable ? [] : ['workspace'])]
  }
  const app = createApp({ log, counters })
  app.use(underWay(work))
  app.route('/', healthRoutes(settings.agentId, { failing, traffic }))
  app.use(
    guard(authorize),
    refuseWhileStopping(work),
    noteConnections((exist) => {
      if (exist) connectionTools.exist()
    }),
  )
  app.route('/', pageRoutes(settings.agentName))
  app.route('/', chatRoutes(agent))
  app.route('/', sessionRoutes(sessions))
  app.route('/', memoryRoutes(memory))
  app.route('/', skillRoutes(skills))
  app.route('/', statsRoutes(counters))
  if (keptFiles !== undefined) app.route('/', filesRoutes(keptFiles))

  const server = createServer(serverOptions)
  endWithLeases(server, settings.leases)
  /** The last response started on each connection, which also ends last. */
  const answers = new WeakMap<Duplex, ServerResponse>()
  server.on('request', ({ socket }, response) => answers.set(socket, response))
  server.on('request', listenerOf(app))
  server.on('upgrade', (request, socket, head) => {
    // Another response is still being written to this socket. A correct client waits for it before it requests a WebSocket.
    if (answers.get(socket)?.closed === false) return void socket.destroy()
    void sockets.accept(request, socket, head)
  })
  return { server, work, sockets, agent }
}

/** Registers a response, so that a stop can wait for it or cut it. */
function underWay(work: Work): MiddlewareHandler<Env> {
  return async (c, next) => {
    const { controller, done } = work.begin()
    c.set('signal', controller.signal)
    c.env.outgoing.once('close', () => controller.abort(callerDisconnected))
    await whenAnswered(c, next, done)
  }
}

function refuseWhileStopping(work: Work): MiddlewareHandler {
  return async (_, next) => {
    if (work.draining) throw stopping
    await next()
  }
}
