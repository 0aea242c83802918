import { createMcpHandler } from '@modelcontextprotocol/server'
import * as z from 'zod'
import type { Wiring } from '../../shared/http/wiring.ts'
import { routesWith } from '../../shared/http/route.ts'
import type { ConfigOf } from '../../shared/platform/config/granted.ts'
import { PlatformError } from '../../shared/platform/errors.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { watchedQueues } from '../common/watched-queues.ts'
import { operatorServer } from './infra-mcp/server.ts'
import type { OperatorServices } from './infra-mcp/tools.ts'

/** A message of JSON-RPC 2.0, whose form the package judges. */
const message = z.looseObject({}).meta({ id: 'JsonRpcMessage' })

export const routes = [
  routesWith<OperatorServices>()({
    name: 'infraTools.call',
    method: 'POST',
    path: '/api/infra-mcp',
    summary: 'MCP: tools by which an operator’s client reads how this platform is',
    tag: 'infrastructure tools',
    guard: 'internal',
    body: message,
    response: message,
    events: { message },
    errors: ['bad-request', 'unauthorized', 'forbidden', 'too-many-requests', 'payload-too-large'],
    notAudited: 'its tools only read',
    handle: async (context, { body }) => {
      const { actor, log, request } = context
      // Its tools tell of every user, so a caller that acts for one must not be given them.
      if (actor.userId !== undefined)
        throw new PlatformError('forbidden', 'These tools are an operator’s: leave x-user-id out')
      const handler = createMcpHandler(() => operatorServer(context, log), {
        // What a subscription would wait for never comes, and an HTTP API would hold its stream back.
        maxSubscriptions: 0,
        keepAliveMs: 0,
        onerror: (error) => log.warn('an MCP request was refused', { error }),
      })
      return handler.fetch(request, { parsedBody: body })
    },
  }),
]

export function wire(config: ConfigOf<'backend-infra-mcp'>): Wiring<OperatorServices> {
  const table = openTable(config)
  return { services: { table, queues: watchedQueues(config) }, table }
}
