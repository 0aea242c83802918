import { logHistoryOf } from '#shared/agents/logs/history.ts'
import {
  logHistoryQuery,
  logEvent,
  logHistory,
  logParams,
  streamQuery,
} from '#shared/agents/logs/schema.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { logServices, type StreamsLogs } from '../common/logs/services.ts'
import { streamLogs } from '../common/logs/stream.ts'
import { userGroup } from '../common/user-group.ts'

const route = routesWith<Pick<Context, 'table'> & Can<'logs'> & StreamsLogs>({
  limits: [{ scope: 'logs', perMinute: 60 }],
})

export const routes = [
  route({
    name: 'agents.logs.follow',
    method: 'GET',
    path: '/api/logs/:agentId/stream',
    summary: 'Stream the logs of an agent',
    description: 'Sends server-sent events named `line`. Last-Event-ID resumes a stream.',
    tag: 'logs',
    guard: 'session',
    open: { kind: 'log-streams', most: 20, what: 'log streams' },
    headers: {
      'Last-Event-ID': 'The id of the last received event; resumes the stream after it',
    },
    params: logParams,
    query: streamQuery,
    response: logEvent,
    events: { line: logEvent },
    errors: ['bad-request', 'unauthorized', 'not-found', 'too-many-requests', 'unavailable'],
    handle: async (ctx, { params, query }) => {
      const { owner } = ctx
      const agent = await requireAgent(ctx, { agentId: params.agentId, owner })
      return streamLogs(ctx, { agent, query })
    },
  }),

  route({
    name: 'agents.logs.history',
    method: 'GET',
    path: '/api/logs/:agentId/history',
    summary: 'List recent log lines of an agent',
    description: 'Oldest first, from the agent’s last 20 containers.',
    tag: 'logs',
    guard: 'session',
    params: logParams,
    query: logHistoryQuery,
    response: logHistory,
    errors: ['bad-request', 'unauthorized', 'not-found', 'too-many-requests'],
    handle: async (ctx, { params, query }) => {
      const { owner } = ctx
      const agent = await requireAgent(ctx, { agentId: params.agentId, owner })
      return logHistoryOf(ctx, { agent, ...query })
    },
  }),
]

export function wire(
  config: ConfigOf<'web-logs'>,
): Wiring<Pick<Context, 'table'> & Can<'logs'> & StreamsLogs> {
  return userGroup(config, (table) => logServices(table, config, config.WALLET_ENCRYPTION_KEY))
}
