import type { Wiring } from '../../shared/http/wiring.ts'
import { routesWith, type RequestContext } from '../../shared/http/route.ts'
import type { ConfigOf } from '../../shared/platform/config/granted.ts'
import { type AgentClientServices, agentClient } from '../common/agent-client.ts'
import { type ChatContext, converse, converseWhole } from '../../shared/chat/converse.ts'
import {
  chatAnswer,
  type ChatRequest,
  chatRequest,
  chatMessage,
  historyQuery,
} from '../../shared/chat/schema.ts'
import type { UserActor } from '../../shared/identity/actor.ts'
import { turnCodes, turnErrors } from '../common/turn-errors.ts'
import { turnEventSchemas } from './chat/schema.ts'
import { turnEvents, wholeEvents } from './chat/turn-events.ts'
import { turnStream } from './chat/turn-stream.ts'
import { within } from './chat/within.ts'
import * as z from 'zod'
import { chatHistory } from '../../shared/chat/history.ts'

const route = routesWith<AgentClientServices>({ limits: [{ scope: 'chat', perMinute: 60 }] })

/** What fails this soon is answered with a status of its own; a stream that has begun can only say so in an event. */
const statusMs = 10_000

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
    return turnStream(wholeEvents(await whole(context, body)), () => undefined)
  const reader = new AbortController()
  const signal = AbortSignal.any([context.request.signal, reader.signal])
  const turn = converse(turnOf(context, signal), body)
  const first = turn.next()
  await within(first, statusMs)
  return turnStream(turnEvents(first, turn, context.log), () => reader.abort())
}

export const routes = [
  route({
    name: 'chat.send',
    method: 'POST',
    path: '/api/chat',
    summary:
      'Say something to an agent; its reply comes whole or, with stream, as server-sent events',
    tag: 'chat',
    guard: 'session',
    scope: 'chat',
    body: chatRequest,
    response: chatAnswer,
    events: turnEventSchemas,
    idempotent: true,
    errors: turnErrors,
    codes: turnCodes,
    notAudited: 'a turn with an agent; its calls of models are usage events',
    handle: (context, { body }) => (body.stream ? stream(context, body) : whole(context, body)),
  }),

  route({
    name: 'chat.history',
    method: 'GET',
    path: '/api/chat',
    summary: 'The last messages with an agent, oldest first',
    tag: 'chat',
    guard: 'session',
    scope: 'chat',
    query: historyQuery,
    response: z.object({ messages: z.array(chatMessage), count: z.number() }),
    errors: ['bad-request', 'unauthorized', 'not-found', 'too-many-requests'],
    handle: async (context, { query }) => {
      const messages = await chatHistory(context, query)
      return { messages, count: messages.length }
    },
  }),
]

export const wire: (config: ConfigOf<'web-chat'>) => Wiring<AgentClientServices> = agentClient
