import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { Problem } from '../http/problem.ts'
import { AnswerBuilder } from './answer.ts'
import type { Message } from './messages.ts'
import type { UpstreamAnswer } from './upstream.ts'

/** An event, or a comment as it stands. */
export type Said = Pick<EventSourceMessage, 'event' | 'data'> | string

/** A reader of an answer as it is said. */
export interface Reader {
  /** Takes what came and the text of the answer in it; resolves once there is room for the next one. */
  take: (said: Said, text: string) => Promise<void>
  left: () => boolean
}

/** Keeps a turn's answer in its session; one that broke off is not `whole`. */
export type Keep = (answer: Message | undefined, whole: boolean) => Promise<void>

interface Followed {
  upstream: UpstreamAnswer
  reader: Reader
  /** Called once, and before the reader hears of a finished stream's `[DONE]`. */
  keep: Keep
}

/**
 * Passes a stream of chat chunks on, event by event as each arrives, and keeps what was said.
 * A stream that ends without `[DONE]` is told apart from a finished one: its reader gets
 * `event: error` with OpenAI's error form and no `[DONE]` (contract.md 5). The upstream ends a stream
 * itself, for it may still be settling the call after `[DONE]`.
 * @returns the answer, or undefined where the stream did not finish
 * @throws the signal's reason when the reader left; what was said until then is kept
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
      throw new Problem(502, 'upstream_cut', 'The AI gateway’s answer broke off')
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

/** How a stream says that it failed. */
export function errorEvent({ body }: Problem): Said {
  return { event: 'error', data: JSON.stringify(body) }
}

export async function* eventsOf({ body }: UpstreamAnswer): AsyncGenerator<Said> {
  const arrived: Said[] = []
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
