import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { Problem } from '../http/problem.ts'
import { AnswerBuilder } from './answer.ts'
import type { Message } from './messages.ts'
import type { UpstreamAnswer } from './upstream.ts'

/** An event, or an unchanged comment. */
export type StreamItem = Pick<EventSourceMessage, 'event' | 'data'> | string

/** The recipient of a streamed reply. */
export interface Reader {
  /** Receives an event and the reply's text in it. Resolves when there is room for more. */
  take: (item: StreamItem, text: string) => Promise<void>
  left: () => boolean
}

/** Stores a turn's reply in its session. `whole` is false if the stream broke. */
export type StoreReply = (answer: Message | undefined, whole: boolean) => Promise<void>

interface Followed {
  upstream: UpstreamAnswer
  reader: Reader
  /** Called once, before the reader receives the `[DONE]` of a finished stream. */
  keep: StoreReply
}

/**
 * Forwards a stream of chat chunks event by event and stores the reply. If a stream ends without `[DONE]`, the reader
 * gets `event: error` in OpenAI's format and no `[DONE]` (contract.md 5). The upstream closes the stream itself,
 * because it may still settle the call after `[DONE]`.
 * @returns the reply; undefined if the stream did not finish
 * @throws the signal's reason if the reader disconnected; the text until then is stored
 */
export async function followStream(followed: Followed): Promise<Message | undefined> {
  const { upstream, reader, keep } = followed
  const answer = new AnswerBuilder()
  let finished = false
  let failed = false
  try {
    for await (const event of eventsOf(upstream)) {
      let text = ''
      if (typeof event !== 'string') {
        finished ||= event.data === '[DONE]'
        failed ||= event.event === 'error'
        if (event.data === '[DONE]') await keep(answer.message(true), true)
        else text = answer.add(event.data)
      }
      await reader.take(event, text)
    }
    if (!finished && !failed) {
      throw new Problem(502, 'upstream_cut', 'The AI gateway’s answer was interrupted')
    }
  } catch (error) {
    if (!(error instanceof Problem) || reader.left()) throw error
    if (!finished) {
      await reader.take(errorEvent(error), '')
    }
  } finally {
    if (!finished) await keep(answer.message(false), false)
  }
  return finished ? answer.message(true) : undefined
}

/** Returns the error event of a stream. */
export function errorEvent({ body }: Problem): StreamItem {
  return { event: 'error', data: JSON.stringify(body) }
}

/** Yields the events of a streamed response, and its comments as text. */
export async function* eventsOf({ body }: UpstreamAnswer): AsyncGenerator<StreamItem> {
  const arrived: StreamItem[] = []
  const parser = createParser({
    onEvent: (event) => arrived.push(event),
    onComment: (comment) => arrived.push(`: ${comment}\n\n`),
  })
  const decoder = new TextDecoder()
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }))
    yield* arrived.splice(0)
  }
}
