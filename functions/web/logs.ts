import { requireAgent } from '../../shared/agents/find.ts'
import { routesWith } from '../../shared/http/route.ts'
import type { Wiring } from '../../shared/http/wiring.ts'
import { logHistoryOf } from '../../shared/logs/history.ts'
import {
  historyQuery,
  logEvent,
  logHistory,
  logParams,
  streamQuery,
} from '../../shared/logs/schema.ts'
import type { ConfigOf } from '../../shared/platform/config/granted.ts'
import { type LogServices, logServices } from '../common/logs/services.ts'
import { streamLogs } from '../common/logs/stream.ts'
import { userGroup } from '../common/user-group.ts'

const route = routesWith<LogServices>({ limits: [{ scope: 'logs', perMinute: 60 }] })

export const routes = [
  route({
    name: 'agents.logs.follow',
    method: 'GET',
    path: '/api/logs/:agentId/stream',
    summary:
      'What one of the caller’s agents prints, as server-sent events `line`; Last-Event-ID goes on where a stream was left',
    tag: 'logs',
    guard: 'session',
    open: { kind: 'log-streams', most: 20, what: 'log streams' },
    headers: {
      'Last-Event-ID': 'The id of the last event that was read: the stream goes on behind it',
    },
    params: logParams,
    query: streamQuery,
    response: logEvent,
    events: { line: logEvent },
    errors: ['bad-request', 'unauthorized', 'not-found', 'too-many-requests', 'unavailable'],
    handle: async (ctx, { params, query }) => {
      const owner = ctx.actor.user.id
      const agent = await requireAgent(ctx, { agentId: params.agentId, owner })
      return streamLogs(ctx, { agent, query })
    },
  }),

  route({
    name: 'agents.logs.history',
    method: 'GET',
    path: '/api/logs/:agentId/history',
    summary:
      'The last lines that one of the caller’s agents printed, oldest first, in the last 20 containers that it had',
    tag: 'logs',
    guard: 'session',
    params: logParams,
    query: historyQuery,
    response: logHistory,
    errors: ['bad-request', 'unauthorized', 'not-found', 'too-many-requests'],
    handle: async (ctx, { params, query }) => {
      const owner = ctx.actor.user.id
      const agent = await requireAgent(ctx, { agentId: params.agentId, owner })
      return logHistoryOf(ctx, { agent, ...query })
    },
  }),
]

export function wire(config: ConfigOf<'web-logs'>): Wiring<LogServices> {
  return userGroup(config, (table) => logServices(table, config, config.WALLET_ENCRYPTION_KEY))
}
