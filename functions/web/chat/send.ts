import { type ChatContext, converse, converseWhole } from '../../../shared/chat/converse.ts'
import { chatAnswer, type ChatRequest, chatRequest } from '../../../shared/chat/schema.ts'
import type { UserActor } from '../../../shared/http/actor.ts'
import type { RequestContext } from '../../../shared/http/route.ts'
import type { AgentClientServices } from '../../common/agent-client.ts'
import { turnErrors } from '../../common/turn-errors.ts'
import { eventStream } from './event-stream.ts'
import { route } from './services.ts'
import { turnEvents, wholeEvents } from './turn-events.ts'
import { within } from './within.ts'

/** What fails this soon is answered with a status of its own; a stream that has begun can only say so in an event. */
const statusMs = 10_000

export const sendMessage = route({
  method: 'POST',
  path: '/api/chat',
  summary:
    'Say something to an agent; its reply comes whole or, with stream, as server-sent events',
  tag: 'chat',
  guard: 'session',
  body: chatRequest,
  response: chatAnswer,
  streams: true,
  idempotent: true,
  errors: turnErrors,
  handle: (context, { body }) => (body.stream ? stream(context, body) : whole(context, body)),
})

type Context = RequestContext<UserActor> & AgentClientServices

function turnOf(context: Context, signal: AbortSignal): ChatContext {
  return { ...context, userId: context.actor.user.id, signal }
}

function whole(context: Context, body: ChatRequest) {
  return converseWhole(turnOf(context, context.request.signal), body)
}

async function stream(context: Context, body: ChatRequest): Promise<Response> {
  // An answer under a key is kept: it must be whole, and its failures must have their status.
  if (context.request.headers.has('idempotency-key'))
    return eventStream(wholeEvents(await whole(context, body)), () => undefined)
  const reader = new AbortController()
  const signal = AbortSignal.any([context.request.signal, reader.signal])
  const turn = converse(turnOf(context, signal), body)
  const first = turn.next()
  await within(first, statusMs)
  return eventStream(turnEvents(first, turn, context.log), () => reader.abort())
}
