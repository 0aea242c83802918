import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createParser } from 'eventsource-parser'
import type { EventSourceMessage } from 'eventsource-parser'
import { Problem } from '../http/problem.ts'
import { AnswerBuilder } from './answer.ts'
import type { Message } from './messages.ts'
import type { UpstreamAnswer } from './upstream.ts'

type Relay = {
  upstream: UpstreamAnswer
  response: ServerResponse
  signal: AbortSignal
  /** Keeps the answer; called once, and before a finished stream's `[DONE]` goes out. */
  keep: (answer: Message | undefined, whole: boolean) => Promise<void>
}

/**
 * Passes a stream of chat chunks on, event by event as each arrives, and keeps what was said.
 * A stream that ends without `[DONE]` is told apart from a finished one: its reader gets
 * `event: error` with OpenAI's error form and no `[DONE]` (contract.md 5). The upstream ends a stream
 * itself, for it may still be settling the call after `[DONE]`.
 * @throws the signal's reason when the reader left; what was said until then is kept
 */
export async function relayStream({ upstream, response, signal, keep }: Relay): Promise<void> {
  const answer = new AnswerBuilder()
  const arrived: (EventSourceMessage | string)[] = []
  const parser = createParser({
    onEvent: (event) => arrived.push(event),
    onComment: (comment) => arrived.push(`: ${comment}\n\n`),
  })
  const decoder = new TextDecoder()
  let finished = false
  let failed = false

  const passOn = async (): Promise<void> => {
    for (const event of arrived.splice(0)) {
      if (typeof event !== 'string') {
        finished ||= event.data === '[DONE]'
        failed ||= event.event === 'error'
        if (event.data === '[DONE]') await keep(answer.message(true), true)
        else answer.add(event.data)
      }
      const text = typeof event === 'string' ? event : formatEvent(event)
      if (!response.write(text)) await once(response, 'drain', { signal })
    }
  }

  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  })
  response.flushHeaders()
  try {
    for await (const chunk of upstream.body) {
      parser.feed(decoder.decode(chunk, { stream: true }))
      await passOn()
    }
    if (!finished && !failed) {
      throw new Problem(502, 'upstream_cut', 'The AI gateway’s answer broke off')
    }
  } catch (error) {
    if (!(error instanceof Problem) || response.destroyed) throw error
    if (!finished) response.write(formatEvent({ event: 'error', data: JSON.stringify(error.body) }))
  } finally {
    if (!finished) await keep(answer.message(false), false)
  }
  response.end()
}

function formatEvent({ event, data }: Pick<EventSourceMessage, 'event' | 'data'>): string {
  const name = event === undefined ? '' : `event: ${event}\n`
  const lines = data.split('\n').map((line) => `data: ${line}\n`)
  return `${name}${lines.join('')}\n`
}
