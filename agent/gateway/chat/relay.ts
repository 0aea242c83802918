import type { Context } from 'hono'
import { type SSEStreamingApi, streamSSE } from 'hono/streaming'
import type { Env } from '../http/app.ts'
import { Problem, toProblem } from '../http/problem.ts'
import { errorEvent, followStream, type StoreReply, type StreamItem } from './follow.ts'
import type { UpstreamAnswer } from './upstream.ts'

/** Responds with a stream of chat chunks, with backpressure. */
export function relayStream(c: Context<Env>, upstream: UpstreamAnswer, keep: StoreReply): Response {
  const response = streamSSE(c, (stream) => {
    const streamed = relay(stream, upstream, keep).catch(async (error: unknown) => {
      c.set('failure', error)
      if (!(error instanceof Problem)) await writeEvent(stream, errorEvent(toProblem(error)))
    })
    c.set('streamed', streamed)
    return streamed
  })
  response.headers.set('content-type', 'text/event-stream; charset=utf-8')
  response.headers.set('cache-control', 'no-cache, no-transform')
  response.headers.set('x-accel-buffering', 'no')
  return response
}

/** @throws the signal's reason if the reader disconnected; the text until then is stored */
async function relay(
  stream: SSEStreamingApi,
  upstream: UpstreamAnswer,
  keep: StoreReply,
): Promise<void> {
  const reader = {
    left: () => stream.aborted,
    take: (item: StreamItem) => writeEvent(stream, item),
  }
  await followStream({ upstream, reader, keep })
}

async function writeEvent(stream: SSEStreamingApi, item: StreamItem): Promise<void> {
  if (typeof item === 'string') return void (await stream.write(item))
  const { event, data } = item
  await stream.writeSSE(event === undefined ? { data } : { event, data })
}
