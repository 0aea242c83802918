import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { toolServer } from '#shared/tools/mcp/server.ts'
import { jsonRpcAnswer, jsonRpcMessage, serveMcp } from '../common/mcp.ts'
import { watchedQueues } from '../common/watched-queues.ts'
import { type Services as OperatorServices, tools } from './infra-mcp/tools.ts'

const instructions =
  'Shows operators the state of the agent platform. All tools are read-only. ' +
  'Start with list_incidents and list_queues. Times are ISO 8601 in UTC, costs in USD.'

export const routes = [
  routesWith<OperatorServices>()({
    name: 'infraTools.call',
    method: 'POST',
    path: '/api/infra-mcp',
    summary: 'Call the MCP server for operators',
    description: 'Exposes the state of the platform as tools.',
    tag: 'infrastructure tools',
    guard: 'internal',
    body: jsonRpcMessage,
    response: jsonRpcAnswer,
    events: { message: jsonRpcAnswer },
    errorForm: 'json-rpc',
    errors: ['bad-request', 'unauthorized', 'forbidden', 'too-many-requests', 'payload-too-large'],
    notAudited: 'its tools only read',
    handle: async (context, { body }) => {
      const { owner, log, request } = context
      // The tools return data of all users, so a caller that acts for one user must not use them.
      if (owner !== undefined)
        throw new PlatformError(
          'forbidden',
          'Only operators can use these tools: leave x-user-id out',
        )
      return serveMcp({
        request,
        message: body,
        log,
        server: () =>
          toolServer({
            instructions,
            tools,
            on: context,
            wordsOf: (error) => (error instanceof PlatformError ? error.message : undefined),
            onFailure: (tool, error) => log.error('a tool failed', { tool, error }),
          }),
      })
    },
  }),
]

export function wire(config: ConfigOf<'backend-infra-mcp'>): Wiring<OperatorServices> {
  const table = openTable(config)
  return { services: { table, watchedQueues: watchedQueues(config) }, table }
}
