import * as z from 'zod'
import { findTurn } from '#shared/ai/turns/turn.ts'
import { type ChatContext, converseWhole } from '#shared/conversations/chat/converse.ts'
import { chatHistory } from '#shared/conversations/chat/history.ts'
import { messageRows } from '#shared/conversations/chat/rows.ts'
import {
  chatAnswer,
  type ChatRequest,
  chatRequest,
  chatMessage,
  chatTopic,
  chatHistoryQuery,
  topicsQuery,
  turnParams,
} from '#shared/conversations/chat/schema.ts'
import { streamTurn } from '#shared/conversations/chat/streamed-turn.ts'
import { listTopics } from '#shared/conversations/chat/topics.ts'
import { Paged } from '#shared/http/paged.ts'
import { routesWith, type RequestContext } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { notFound } from '#shared/platform/errors.ts'
import type { UserActor } from '#shared/platform/identity/actor.ts'
import { idPattern, newId } from '#shared/platform/ids.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { within } from '#shared/platform/within.ts'
import { type AgentClientServices, agentClient } from '../common/agent-client.ts'
import { turnCodes, turnErrors } from '../common/turn-errors.ts'
import { turnEventSchemas } from './chat/schema.ts'
import { followedEvents, placeIn, turnEvents, wholeEvents } from './chat/turn-events.ts'
import { turnStream } from './chat/turn-stream.ts'

const route = routesWith<AgentClientServices>({ limits: [{ scope: 'chat', perMinute: 60 }] })

/** A failure within this time gets its own status code. Once the stream has begun, an error can only be an event. */
const statusMs = 10_000

type Context = RequestContext<UserActor> & AgentClientServices

function turnOf(context: Context, signal: AbortSignal): ChatContext {
  return { ...context, signal }
}

function whole(context: Context, body: ChatRequest, signal = context.request.signal) {
  return converseWhole(turnOf(context, signal), body)
}

async function stream(context: Context, body: ChatRequest): Promise<Response> {
  // A response under an idempotency key is stored, so it must be whole and failures must have their status.
  if (context.request.headers.has('idempotency-key')) {
    const id = newId(messageRows.id, context.seed)
    const answer = await whole(context, body, new AbortController().signal)
    return turnStream(wholeEvents(id, answer), { id, left: async () => {} })
  }
  const turn = streamTurn(context, body)
  await within(turn.begun, statusMs)
  // The turn continues without its reader, and so does the function.
  return turnStream(turnEvents(turn, context.log), { id: turn.id, left: () => turn.over })
}

/** The format of a turn's id. No row is read for other texts. */
const messageId = new RegExp(`^${idPattern(messageRows.id)}$`)

async function follow(context: Context, id: string): Promise<Response> {
  const store = userStore(context.table, context.owner)
  const turn = messageId.test(id) ? await findTurn(store, id) : undefined
  if (turn === undefined) throw notFound('Turn')
  const after = placeIn(id, context.request.headers.get('last-event-id') ?? '')
  const reader = new AbortController()
  const signal = AbortSignal.any([context.request.signal, reader.signal])
  const left = async () => reader.abort()
  return turnStream(followedEvents(store, { id, after, signal }), { id, left })
}

export const routes = [
  route({
    name: 'chat.send',
    method: 'POST',
    path: '/api/chat',
    summary: 'Send a message to an agent',
    description: 'With `stream`, the reply is sent as server-sent events.',
    tag: 'chat',
    guard: 'session',
    open: { kind: 'turns', most: 20, what: 'turns with agents' },
    scope: 'chat',
    body: z.lazy(chatRequest),
    response: z.lazy(chatAnswer),
    events: turnEventSchemas,
    idempotent: true,
    replayed: ['x-message-id'],
    errors: turnErrors,
    codes: turnCodes,
    notAudited: 'a turn with an agent; its model calls are usage events',
    handle: (context, { body }) => (body.stream ? stream(context, body) : whole(context, body)),
  }),

  route({
    name: 'chat.follow',
    method: 'GET',
    path: '/api/chat/turns/:messageId/stream',
    summary: 'Resume a streamed reply',
    description:
      'Sends the events after Last-Event-ID, or the whole reply of a finished turn. `x-message-id` of the first response names the turn.',
    tag: 'chat',
    guard: 'session',
    open: { kind: 'turn-streams', most: 20, what: 'streams of turns' },
    scope: 'chat',
    headers: { 'Last-Event-ID': 'The id of the last received event' },
    params: turnParams,
    response: z.lazy(chatAnswer),
    events: turnEventSchemas,
    errors: ['unauthorized', 'not-found', 'too-many-requests'],
    handle: (context, { params }) => follow(context, params.messageId),
  }),

  route({
    name: 'chat.topics',
    method: 'GET',
    path: '/api/chat/topics',
    summary: 'List conversations with an agent',
    description: 'Most recent first.',
    tag: 'chat',
    guard: 'session',
    scope: 'chat',
    query: topicsQuery,
    response: z.lazy(() => z.object({ topics: z.array(chatTopic()) })),
    errors: ['bad-request', 'unauthorized', 'not-found', 'too-many-requests'],
    handle: async (context, { query }) => ({ topics: await listTopics(context, query) }),
  }),

  route({
    name: 'chat.history',
    method: 'GET',
    path: '/api/chat',
    summary: 'List messages with an agent',
    description: 'The latest page, oldest message first.',
    tag: 'chat',
    guard: 'session',
    scope: 'chat',
    query: chatHistoryQuery,
    response: z.lazy(() => z.object({ messages: z.array(chatMessage()), count: z.number() })),
    pages: true,
    errors: ['bad-request', 'unauthorized', 'not-found', 'too-many-requests'],
    handle: async (context, { query }) => {
      const { items: messages, next } = await chatHistory(context, query)
      return new Paged({ messages, count: messages.length }, next)
    },
  }),
]

export const wire: (config: ConfigOf<'web-chat'>) => Wiring<AgentClientServices> = agentClient
