import { ConnectionError, errorOf } from '../core/errors.ts'
import type { EventStream, ServerSentEvent } from '../core/event-stream.ts'
import type { BodyOf } from '../core/operation.ts'
import type { RequestOptions } from '../core/options.ts'
import type { ChatAnswer } from '../generated/types.ts'
import { Resource } from './resource.ts'

/** A part of a reply, or the whole reply at the end. */
export type ChatEvent = ({ type: 'delta'; content: string } | ({ type: 'done' } & ChatAnswer)) & {
  /** `<message id>:<position>`; `turn` continues from it. */
  eventId?: string | undefined
}

/** Messages to agents. */
export class Chat extends Resource {
  /** Sends a message to an agent and waits for the whole reply. */
  send = this.onceWithBody('POST /api/chat')

  /**
   * Sends a message to an agent and streams the reply: parts as they arrive, then the whole reply. The message is sent
   * only once: if the stream breaks, the client does not retry.
   * @throws PlatformError if the turn fails
   */
  stream(
    body: Omit<BodyOf<'POST /api/chat'>, 'stream'>,
    options?: RequestOptions,
  ): EventStream<ChatEvent> {
    return this.client.stream('POST /api/chat', { body: { ...body, stream: true } }, turn, options)
  }

  /**
   * Reads the reply of a turn, during the turn or after it, from the beginning or after an event. If the turn has
   * ended, the whole reply may come as one event.
   */
  turn(
    messageId: string,
    { lastEventId, ...options }: RequestOptions & { lastEventId?: string | undefined } = {},
  ): EventStream<ChatEvent> {
    const params = { messageId }
    const headers = { ...options.headers, ...(lastEventId && { 'last-event-id': lastEventId }) }
    return this.client.stream('GET /api/chat/turns/{messageId}/stream', { params }, turn, {
      ...options,
      headers,
    })
  }

  /** Lists the conversations with an agent, latest first. */
  topics = this.opWithQuery('GET /api/chat/topics', 'topics')

  /**
   * Returns the latest messages with an agent, oldest first. Each next page holds the messages before those, oldest
   * first.
   */
  history = this.listOf('GET /api/chat', 'messages')
}

async function* turn(
  events: AsyncGenerator<ServerSentEvent, void>,
  { headers }: Response,
): AsyncGenerator<ChatEvent, void> {
  for await (const { id, event, data } of events) {
    const body = JSON.parse(data) as ChatEvent
    if (event === 'error') throw errorOf(body, { headers })
    yield { ...body, type: event, eventId: id } as ChatEvent
    if (event === 'done') return
  }
  throw new ConnectionError('The stream was interrupted')
}
