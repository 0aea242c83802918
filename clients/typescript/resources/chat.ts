import { ConnectionError, errorOf } from '../core/errors.ts'
import type { EventStream, ServerSentEvent } from '../core/event-stream.ts'
import type { RequestOptions } from '../core/options.ts'
import type { BodyOf, QueryOf } from '../core/request.ts'
import type { ChatAnswer } from '../generated/types.ts'
import { Resource } from './resource.ts'

/** A piece of an answer, or the whole of it at the end. */
export type ChatEvent = { type: 'delta'; content: string } | ({ type: 'done' } & ChatAnswer)

/** Talking to agents. */
export class Chat extends Resource {
  /** Say something to an agent and wait for the whole answer */
  send(body: Omit<BodyOf<'POST /api/chat'>, 'stream'>, options?: RequestOptions) {
    return this.client.once('POST /api/chat', { body }, options)
  }

  /**
   * Say something to an agent; its answer comes piece by piece, and whole at the end. It is said once: a stream that
   * breaks off is not begun again.
   * @throws PlatformError where the turn fails
   */
  stream(
    body: Omit<BodyOf<'POST /api/chat'>, 'stream'>,
    options?: RequestOptions,
  ): EventStream<ChatEvent> {
    return this.client.stream('POST /api/chat', { body: { ...body, stream: true } }, turn, options)
  }

  /** Read a turn’s answer from its beginning, while it is given and afterwards */
  turn(messageId: string, options?: RequestOptions): EventStream<ChatEvent> {
    const params = { messageId }
    return this.client.stream('GET /api/chat/turns/{messageId}/stream', { params }, turn, options)
  }

  /** What has been talked about with an agent, the latest first */
  topics(query?: QueryOf<'GET /api/chat/topics'>, options?: RequestOptions) {
    return this.client.call('GET /api/chat/topics', { query }, options, 'topics')
  }

  /** The last messages with an agent, oldest first */
  history(query?: QueryOf<'GET /api/chat'>, options?: RequestOptions) {
    return this.client.call('GET /api/chat', { query }, options, 'messages')
  }
}

async function* turn(
  events: AsyncGenerator<ServerSentEvent, void>,
  { headers }: Response,
): AsyncGenerator<ChatEvent, void> {
  for await (const { event, data } of events) {
    const body = JSON.parse(data) as ChatEvent
    if (event === 'error') throw errorOf(body, { headers })
    yield { ...body, type: event } as ChatEvent
    if (event === 'done') return
  }
  throw new ConnectionError('The stream broke off')
}
