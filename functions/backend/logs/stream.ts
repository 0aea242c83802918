import { requireAgent } from '../../../shared/agents/find.ts'
import { followLogs } from '../../../shared/logs/follow.ts'
import { readPosition } from '../../../shared/logs/position.ts'
import { logEvent, logParams, streamQuery } from '../../../shared/logs/schema.ts'
import { closeStream, openStream } from '../../../shared/logs/stream.ts'
import { eventStream } from './event-stream.ts'
import { route } from './services.ts'

export const streamLogs = route({
  method: 'GET',
  path: '/api/logs/:agentId/stream',
  summary:
    'What an agent prints, as server-sent events `line`; Last-Event-ID goes on where a stream was left',
  tag: 'logs',
  guard: 'internal',
  headers: ['Last-Event-ID'],
  params: logParams,
  query: streamQuery,
  response: logEvent,
  streams: true,
  errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found'],
  handle: async (ctx, { params, query }) => {
    const agent = await requireAgent(ctx.table, params.agentId, ctx.actor.userId)
    const lastId = ctx.request.headers.get('last-event-id') ?? ''
    const after = await readPosition(ctx.key, agent.id, lastId)
    const stream = await openStream(ctx.table, agent.id)
    const reader = new AbortController()
    const signal = AbortSignal.any([ctx.request.signal, reader.signal])
    const options = { agent, stream, after, tail: query.tail, lastsMs: ctx.lastsMs }
    const events = followLogs({ ...ctx, signal }, options)
    return eventStream(events, async () => {
      reader.abort()
      await closeStream(ctx.table, stream)
    })
  },
})
