import type { Wiring } from '../../shared/http/wiring.ts'
import { routesWith } from '../../shared/http/route.ts'
import type { LogContext, Pace } from '../../shared/logs/context.ts'
import { followLogs } from '../../shared/logs/follow.ts'
import { requireAgent } from '../../shared/agents/find.ts'
import { readPosition } from '../../shared/logs/position.ts'
import {
  logEvent,
  logParams,
  streamQuery,
  historyQuery,
  logHistory,
  logsStopped,
  activeStreams,
} from '../../shared/logs/schema.ts'
import { closeStream, openStream, stopStreams } from '../../shared/logs/stream.ts'
import { lineStream } from './logs/line-stream.ts'
import { logHistoryOf } from '../../shared/logs/history.ts'
import { listActive } from '../../shared/logs/active.ts'
import { sharedReads } from '../../shared/logs/share.ts'
import { cloudwatchLogs } from '../../shared/platform/logs/cloudwatch.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import type { ConfigOf } from '../../shared/platform/config/granted.ts'

export interface LogServices extends LogContext {
  /** Signs the ids by which streams are resumed. */
  key: string
  pace: Pace
  /** How long a stream may last, in milliseconds: less than its function lives, so that it ends cleanly. */
  lastsMs: number
}

const route = routesWith<LogServices>()

export const routes = [
  route({
    name: 'agents.logs.follow',
    method: 'GET',
    path: '/api/logs/:agentId/stream',
    summary:
      'What an agent prints, as server-sent events `line`; Last-Event-ID goes on where a stream was left',
    tag: 'logs',
    guard: 'internal',
    headers: {
      'Last-Event-ID': 'The id of the last event that was read: the stream goes on behind it',
    },
    params: logParams,
    query: streamQuery,
    response: logEvent,
    events: { line: logEvent },
    errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found'],
    handle: async (ctx, { params, query }) => {
      const agent = await requireAgent(ctx, { agentId: params.agentId, owner: ctx.actor.userId })
      const lastId = ctx.request.headers.get('last-event-id') ?? ''
      const after = await readPosition(ctx.key, agent.id, lastId)
      const stream = await openStream(ctx, { agentId: agent.id })
      const reader = new AbortController()
      const signal = AbortSignal.any([ctx.request.signal, reader.signal])
      const options = { agent, stream, after, tail: query.tail, lastsMs: ctx.lastsMs }
      const events = followLogs({ ...ctx, signal }, options)
      return lineStream(events, async () => {
        reader.abort()
        await closeStream(ctx, { stream })
      })
    },
  }),

  route({
    name: 'agents.logs.history',
    method: 'GET',
    path: '/api/logs/:agentId/history',
    summary: 'The last lines that an agent printed, oldest first',
    tag: 'logs',
    guard: 'internal',
    params: logParams,
    query: historyQuery,
    response: logHistory,
    errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found'],
    handle: (ctx, { params, query }) =>
      logHistoryOf(ctx, { agentId: params.agentId, limit: query.limit }),
  }),

  route({
    name: 'agents.logs.stop',
    method: 'POST',
    path: '/api/logs/:agentId/stop',
    summary: 'End every stream of an agent’s log; the agent goes on',
    tag: 'logs',
    guard: 'internal',
    params: logParams,
    response: logsStopped,
    errors: ['unauthorized', 'forbidden', 'not-found'],
    notAudited: 'ends streams that are being read',
    handle: async ({ table, actor }, { params }) => {
      const { id } = await requireAgent({ table }, { agentId: params.agentId, owner: actor.userId })
      await stopStreams({ table }, { agentId: id })
      return { success: true as const }
    },
  }),

  route({
    name: 'agents.logs.active',
    method: 'GET',
    path: '/api/logs/active',
    summary: 'The agents whose logs are being streamed',
    tag: 'logs',
    guard: 'internal',
    response: activeStreams,
    errors: ['unauthorized', 'forbidden'],
    handle: async (ctx) => ({ streams: await listActive(ctx) }),
  }),
]

export function wire(config: ConfigOf<'backend-logs'>): Wiring<LogServices> {
  const table = openTable(config)
  return {
    services: {
      table,
      logs: sharedReads(
        cloudwatchLogs({ logGroup: config.AGENT_LOG_GROUP, endpoint: config.LOGS_ENDPOINT }),
      ),
      // Without it the guard refuses every caller before a stream begins.
      key: config.INTERNAL_API_KEY ?? '',
      // The awslogs driver hands lines over every few seconds; one machine's engine at once.
      pace: config.deployed
        ? { settle: 10_000, longestWait: 2000 }
        : { settle: 200, longestWait: 250 },
      lastsMs: 840_000,
    },
    table,
  }
}
