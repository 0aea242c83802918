import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { followStream } from './follow.ts'
import type { Said } from './follow.ts'
import type { Message } from './messages.ts'
import type { UpstreamAnswer } from './upstream.ts'

type Relay = {
  upstream: UpstreamAnswer
  response: ServerResponse
  signal: AbortSignal
  keep: (answer: Message | undefined, whole: boolean) => Promise<void>
}

/**
 * Answers a request with a stream of chat chunks, no faster than it is read.
 * @throws the signal's reason when the reader left; what was said until then is kept
 */
export async function relayStream({ upstream, response, signal, keep }: Relay): Promise<void> {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  })
  response.flushHeaders()
  const reader = {
    left: () => response.destroyed,
    take: async (said: Said) => {
      const text = typeof said === 'string' ? said : formatEvent(said)
      if (!response.write(text)) await once(response, 'drain', { signal })
    },
  }
  await followStream({ upstream, reader, keep })
  response.end()
}

function formatEvent({ event, data }: Exclude<Said, string>): string {
  const name = event === undefined ? '' : `event: ${event}\n`
  const lines = data.split('\n').map((line) => `data: ${line}\n`)
  return `${name}${lines.join('')}\n`
}
