import { Hono } from 'hono'
import * as z from 'zod'
import type { Env } from '../http/app.ts'
import { check, readBody, revisionQuery } from '../http/input.ts'
import { notFound } from '../http/problem.ts'
import { RevisionFence } from '../workspace/revision-fence.ts'
import type { Sessions } from '../workspace/sessions.ts'

/** The store of the conversations. */
export type Conversations = Pick<
  Sessions,
  'create' | 'find' | 'list' | 'remove' | 'reset' | 'turns'
>

const newSession = z.object({ title: z.string().max(200).nullish() })

/** Conversations: list, create, read, delete one or all. Deleting all with `?revision=` takes effect once per revision. */
export function sessionRoutes(sessions: Conversations) {
  const fence = new RevisionFence()
  return new Hono<Env>()
    .get('/sessions', async (c) => c.json(await sessions.list()))
    .post('/sessions', async (c) => {
      const { title } = await readBody(c, newSession)
      return c.json(await sessions.create(title ?? null), 201)
    })
    .get('/sessions/:id', async (c) => {
      const sessionId = c.req.param('id')
      const session = await sessions.find(sessionId)
      if (session === undefined) throw notFound('Session')
      const turns = await sessions.turns(sessionId)
      const messages = turns.flatMap((turn) =>
        turn.messages.map((message) => ({ ...message, createdAt: turn.at })),
      )
      return c.json({ ...session, messages, count: messages.length })
    })
    .delete('/sessions/:id', async (c) => {
      if (!(await sessions.remove(c.req.param('id')))) throw notFound('Session')
      return c.json({ success: true })
    })
    .delete('/sessions', async (c) => {
      const { revision } = check(revisionQuery, c.req.query())
      const removed = (await fence.changeAll(revision, () => sessions.reset())) ?? 0
      return c.json({ success: true, removed })
    })
}
