import { listActive } from '#shared/agents/logs/active.ts'
import { logHistoryOf } from '#shared/agents/logs/history.ts'
import {
  logEvent,
  logParams,
  streamQuery,
  logHistoryQuery,
  logHistory,
  logsStopped,
  activeStreams,
} from '#shared/agents/logs/schema.ts'
import { stopStreams } from '#shared/agents/logs/stream.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { logServices, type StreamsLogs } from '../common/logs/services.ts'
import { streamLogs } from '../common/logs/stream.ts'

const route = routesWith<Pick<Context, 'table'> & Can<'logs'> & StreamsLogs>()

export const routes = [
  route({
    name: 'agents.logs.follow',
    method: 'GET',
    path: '/api/logs/:agentId/stream',
    summary: 'Stream the logs of an agent',
    description: 'Sends server-sent events named `line`. Last-Event-ID resumes a stream.',
    tag: 'logs',
    guard: 'internal',
    open: { kind: 'log-streams', most: 20, what: 'log streams' },
    headers: {
      'Last-Event-ID': 'The id of the last received event; resumes the stream after it',
    },
    params: logParams,
    query: streamQuery,
    response: logEvent,
    events: { line: logEvent },
    errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found'],
    handle: async (ctx, { params, query }) => {
      const agent = await requireAgent(ctx, { agentId: params.agentId, owner: ctx.owner })
      return streamLogs(ctx, { agent, query })
    },
  }),

  route({
    name: 'agents.logs.history',
    method: 'GET',
    path: '/api/logs/:agentId/history',
    summary: 'List recent log lines of an agent',
    description: 'Oldest first.',
    tag: 'logs',
    guard: 'internal',
    params: logParams,
    query: logHistoryQuery,
    response: logHistory,
    errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found'],
    handle: async (ctx, { params, query }) => {
      const agent = await requireAgent(ctx, { agentId: params.agentId, owner: ctx.owner })
      return logHistoryOf(ctx, { agent, ...query })
    },
  }),

  route({
    name: 'agents.logs.stop',
    method: 'POST',
    path: '/api/logs/:agentId/stop',
    summary: 'Stop all log streams of an agent',
    description: 'The agent continues to run.',
    tag: 'logs',
    guard: 'internal',
    params: logParams,
    response: logsStopped,
    errors: ['unauthorized', 'forbidden', 'not-found'],
    notAudited: 'ends streams',
    handle: async ({ table, owner }, { params }) => {
      const { id } = await requireAgent({ table }, { agentId: params.agentId, owner })
      await stopStreams({ table }, { agentId: id })
      return { success: true as const }
    },
  }),

  route({
    name: 'agents.logs.active',
    method: 'GET',
    path: '/api/logs/active',
    summary: 'List agents with active log streams',
    tag: 'logs',
    guard: 'internal',
    response: activeStreams,
    errors: ['unauthorized', 'forbidden'],
    handle: async (ctx) => ({ streams: await listActive(ctx) }),
  }),
]

export function wire(
  config: ConfigOf<'backend-logs'>,
): Wiring<Pick<Context, 'table'> & Can<'logs'> & StreamsLogs> {
  const table = openTable(config)
  return { services: logServices(table, config, config.INTERNAL_API_KEY), table }
}
