import type * as z from 'zod'
import type { FollowedEvents } from '#shared/agents/logs/context.ts'
import { followLogs } from '#shared/agents/logs/follow.ts'
import { readPosition } from '#shared/agents/logs/position.ts'
import type { streamQuery } from '#shared/agents/logs/schema.ts'
import { closeStream, openStream } from '#shared/agents/logs/stream.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { respondWithEvents } from '#shared/http/event-stream.ts'
import { notConfigured } from '#shared/platform/errors.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { StreamsLogs } from './services.ts'

/** Streams an agent's log lines, after `Last-Event-ID` if given. */
export async function streamLogs(
  ctx: Pick<Context, 'table'> & Can<'logs'> & StreamsLogs & { request: Request },
  { agent, query }: { agent: Agent; query: z.output<typeof streamQuery> },
): Promise<Response> {
  const { key } = ctx
  // On the backend, the guard rejects all requests if the encryption key is missing.
  if (key === undefined) throw notConfigured('Streaming of logs', ['WALLET_ENCRYPTION_KEY'])
  const lastId = ctx.request.headers.get('last-event-id') ?? ''
  const after = await readPosition(key, agent.id, lastId)
  const stream = await openStream(ctx, { agentId: agent.id })
  const reader = new AbortController()
  const signal = AbortSignal.any([ctx.request.signal, reader.signal])
  const options = { agent, stream, after, ...query, lastsMs: ctx.lastsMs }
  const events = followLogs({ ...ctx, key, signal }, options)
  return lineStream(events, async () => {
    reader.abort()
    await closeStream(ctx, { stream })
  })
}

/** Milliseconds until a client reconnects after the stream ends. */
const retry = 'retry: 1000\n\n'

/**
 * Streams an agent's lines at the speed of the reader.
 * @param end called when the events end or the reader disconnects
 */
function lineStream(
  events: AsyncGenerator<FollowedEvents, void>,
  end: () => Promise<void>,
): Response {
  return respondWithEvents({
    start: (out) => out.write(retry),
    async pull(out) {
      let next: IteratorResult<FollowedEvents, void> | undefined
      try {
        next = await events.next()
      } finally {
        if (next === undefined || next.done === true) await end()
      }
      if (next.done === true) out.end()
      else if (next.value.length === 0) out.keepAlive()
      else out.send(...next.value.map(({ id, event }) => ({ id, event: 'line', data: event })))
    },
    async cancel() {
      await end()
      await events.return()
    },
  })
}
