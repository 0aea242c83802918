import { sendJson } from '../http/exchange.ts'
import { readJson } from '../http/body.ts'
import { invalid, notFound } from '../http/problem.ts'
import { readRevision } from '../http/revision.ts'
import type { Route } from '../http/router.ts'
import { Fence } from '../workspace/fence.ts'
import type { Sessions } from '../workspace/sessions.ts'

const titleLimit = 200

/** What keeps the conversations. */
export type Conversations = Pick<
  Sessions,
  'create' | 'find' | 'list' | 'remove' | 'reset' | 'turns'
>

/** Conversations: list, open, read, delete one or all; the last with `?revision=` once for each. */
export function sessionRoutes(sessions: Conversations): Route[] {
  const fence = new Fence()
  return [
    {
      method: 'GET',
      path: '/sessions',
      handle: async (exchange) => sendJson(exchange, 200, await sessions.list()),
    },
    {
      method: 'POST',
      path: '/sessions',
      handle: async (exchange) => {
        const { title } = await readJson(exchange.request, { optional: true })
        sendJson(exchange, 201, await sessions.create(readTitle(title)))
      },
    },
    {
      method: 'GET',
      path: '/sessions/:id',
      handle: async (exchange) => {
        const sessionId = exchange.params[0] ?? ''
        const session = await sessions.find(sessionId)
        if (session === undefined) throw notFound('Session')
        const turns = await sessions.turns(sessionId)
        const messages = turns.flatMap((turn) =>
          turn.messages.map((message) => ({ ...message, createdAt: turn.at })),
        )
        sendJson(exchange, 200, { ...session, messages, count: messages.length })
      },
    },
    {
      method: 'DELETE',
      path: '/sessions/:id',
      handle: async (exchange) => {
        if (!(await sessions.remove(exchange.params[0] ?? ''))) throw notFound('Session')
        sendJson(exchange, 200, { success: true })
      },
    },
    {
      method: 'DELETE',
      path: '/sessions',
      handle: async (exchange) => {
        const revision = readRevision(exchange.request.url)
        const removed = (await fence.changeAll(revision, () => sessions.reset())) ?? 0
        sendJson(exchange, 200, { success: true, removed })
      },
    },
  ]
}

function readTitle(title: unknown): string | null {
  if (title === undefined || title === null) return null
  if (typeof title === 'string' && title.length <= titleLimit) return title
  throw invalid('title', `title must be a string of at most ${titleLimit} characters`)
}
