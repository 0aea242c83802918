import { Hono } from 'hono'
import * as z from 'zod'
import type { Env } from '../http/app.ts'
import { check, readBody, revisionQuery } from '../http/input.ts'
import { notFound } from '../http/problem.ts'
import { type Memory, noteLimit } from '../workspace/memory.ts'
import { nameSchema } from '../workspace/names.ts'
import { RevisionFence } from '../workspace/revision-fence.ts'

/** The store of the notes. */
export type Notes = Pick<Memory, 'list' | 'write' | 'remove' | 'reset'>

const params = z.object({ key: nameSchema })
const note = z.object({ memory: z.string().max(noteLimit) })

/** Memory notes: list all, write one, delete one, delete all. Changes with an older `?revision=` are ignored. */
export function memoryRoutes(memory: Notes) {
  const fence = new RevisionFence()
  return new Hono<Env>()
    .get('/memory', async (c) => {
      const notes = await memory.list()
      return c.json({
        memory: Object.fromEntries(notes.map(({ key, text }) => [key, text])),
        count: notes.length,
        lastUpdated: notes[0]?.updatedAt.toISOString() ?? null,
      })
    })
    .put('/memory/:key', async (c) => {
      const { key } = check(params, c.req.param())
      const { revision } = check(revisionQuery, c.req.query())
      const { memory: text } = await readBody(c, note)
      await fence.change(key, revision, () => memory.write(key, text))
      return c.json({ success: true, key })
    })
    .delete('/memory/:key', async (c) => {
      const { key } = check(params, c.req.param())
      const { revision } = check(revisionQuery, c.req.query())
      const removed = await fence.change(key, revision, () => memory.remove(key))
      if (removed === false) throw notFound('Memory')
      return c.json({ success: true, key })
    })
    .delete('/memory', async (c) => {
      const { revision } = check(revisionQuery, c.req.query())
      const removed = (await fence.changeAll(revision, () => memory.reset())) ?? 0
      return c.json({ success: true, removed })
    })
}
