import { createServer, type Server } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Handler } from 'hono'
import type { Files } from '../../files/files.ts'
import { filesRoutes } from '../../files/route.ts'
import {
  createApp,
  type Env,
  listenerOf,
  messagesPath,
  noteConnections,
} from '../../gateway/http/app.ts'
import { createAuthorizer, guard } from '../../gateway/http/authorize.ts'
import { toProblem } from '../../gateway/http/problem.ts'
import { refuseSocket } from '../../gateway/http/refuse-socket.ts'
import { endWithLeases } from '../../gateway/lease.ts'
import type { Log } from '../../gateway/log.ts'
import type { OutputBudget } from '../../gateway/output/budget.ts'
import { memoryRoutes } from '../../gateway/routes/memory.ts'
import { sessionRoutes } from '../../gateway/routes/sessions.ts'
import { skillRoutes } from '../../gateway/routes/skills.ts'
import { statsRoutes } from '../../gateway/routes/stats.ts'
import { Counters } from '../../gateway/stats.ts'
import { trafficOf } from '../../gateway/traffic.ts'
import { Skills } from '../../gateway/workspace/skills.ts'
import type { Child } from './child.ts'
import { connectionUpdates } from './connections.ts'
import { OpenclawConversations } from './conversations.ts'
import { forward } from './forward.ts'
import { healthRoutes } from './health.ts'
import { LiveConfig } from './live-config.ts'
import { OpenclawMemory } from './memory.ts'
import { consumptionOf } from './process-tree.ts'
import { senderRoutes } from './senders.ts'
import type { FrontSettings } from './settings.ts'
import { joinSocket } from './socket.ts'

/** The first path segments of the routes that are answered here and not by OpenClaw. */
const own = new Set([
  'health',
  'healthz',
  'readyz',
  'memory',
  'sessions',
  'skills',
  'senders',
  'stats',
  'files',
])

export interface Front {
  server: Server
  readonly draining: boolean
  /** Makes the agent not ready. OpenClaw decides about the active work. */
  drain(): void
}

interface FrontOptions {
  settings: FrontSettings
  child: Pick<Child, 'pid' | 'port'>
  log: Log
  budget: OutputBudget
  files: Files | undefined
}

/** Creates the server in front of OpenClaw: it checks the token, answers the platform's requests, and forwards all others. */
export function createFront({ settings, child, log, budget, files }: FrontOptions): Front {
  const { agentId, workspace, token, stateDir } = settings
  const { port } = child
  let draining = false
  const traffic = trafficOf(settings, budget)
  const counters = new Counters(traffic, () => consumptionOf(process.pid))
  const authorize = createAuthorizer(token)
  const passOn: Handler<Env> = async (c) => {
    await forward(c.env.incoming, c.env.outgoing, port)
    return RESPONSE_ALREADY_SENT
  }

  const config = new LiveConfig(settings)
  const updateConnections = connectionUpdates(settings, { config, log })

  const app = createApp({ log, counters })
  app.route('/', healthRoutes({ agentId, port, isDraining: () => draining, traffic }))
  app.use(guard(authorize), noteConnections(updateConnections))
  app.post(messagesPath, passOn)
  app.use((c, next) => (own.has(c.req.path.split('/')[1] ?? '') ? next() : passOn(c, next)))
  app.route('/', memoryRoutes(new OpenclawMemory(workspace)))
  app.route('/', sessionRoutes(new OpenclawConversations({ port, token, stateDir })))
  app.route('/', skillRoutes(new Skills(workspace)))
  app.route('/', senderRoutes({ settings, port, config }))
  app.route('/', statsRoutes(counters))
  if (files !== undefined) app.route('/', filesRoutes(files))

  const server = createServer(listenerOf(app))
  endWithLeases(server, settings.leases)
  server.on('upgrade', (request, socket, head) => {
    try {
      authorize(request.headers.authorization)
      joinSocket(request, socket, head, port)
    } catch (error) {
      refuseSocket(socket, toProblem(error))
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
