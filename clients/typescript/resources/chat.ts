import { ConnectionError, errorOf } from '../core/errors.ts'
import type { EventStream, ServerSentEvent } from '../core/event-stream.ts'
import type { RequestOptions } from '../core/options.ts'
import type { BodyOf } from '../core/operation.ts'
import type { ChatAnswer } from '../generated/types.ts'
import { Resource } from './resource.ts'

/** A piece of an answer, or the whole of it at the end. */
export type ChatEvent = ({ type: 'delta'; content: string } | ({ type: 'done' } & ChatAnswer)) & {
  /** `<id of the message>:<place>`, which `turn` goes on from. */
  eventId?: string | undefined
}

/** Talking to agents. */
export class Chat extends Resource {
  /** Say something to an agent and wait for the whole answer */
  send = this.onceWithBody('POST /api/chat')

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

  /**
   * Read a turn’s answer while it is given and afterwards, from its beginning or behind an event; of one that has ended it
   * may be the whole at once.
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

  /** What has been talked about with an agent, the latest first */
  topics = this.opWithQuery('GET /api/chat/topics', 'topics')

  /** The last messages with an agent, oldest first; each page after it has those before, oldest first in itself */
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
  throw new ConnectionError('The stream broke off')
}
