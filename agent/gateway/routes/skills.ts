import { type Handler, Hono } from 'hono'
import * as z from 'zod'
import type { Env } from '../http/app.ts'
import { check, readBody, revisionQuery } from '../http/input.ts'
import { notFound } from '../http/problem.ts'
import { nameSchema } from '../workspace/names.ts'
import { RevisionFence } from '../workspace/revision-fence.ts'
import { documentLimit, type Skills } from '../workspace/skills.ts'

const params = z.object({ id: nameSchema })
const installation = z.object({
  document: z.string().max(documentLimit),
  enabled: z.boolean().default(true),
})

/** Installed skills: list, install, uninstall, enable, disable. Changes with an older `?revision=` are ignored. */
export function skillRoutes(skills: Skills) {
  const fence = new RevisionFence()
  const switchTo =
    (enabled: boolean): Handler<Env> =>
    async (c) => {
      const { id } = check(params, c.req.param())
      const switched = await fence.change(id, undefined, () => skills.setEnabled(id, enabled))
      if (switched !== true) throw notFound('Skill')
      return c.json({ id, enabled })
    }

  return new Hono<Env>()
    .get('/skills', async (c) => {
      const installed = await skills.list()
      const listed = installed.map(({ text: _, ...skill }) => skill)
      return c.json({ skills: listed, count: listed.length })
    })
    .put('/skills/:id', async (c) => {
      const { id } = check(params, c.req.param())
      const { revision } = check(revisionQuery, c.req.query())
      const { document, enabled } = await readBody(c, installation)
      await fence.change(id, revision, () => skills.install(id, document, enabled))
      return c.json({ id, enabled })
    })
    .delete('/skills/:id', async (c) => {
      const { id } = check(params, c.req.param())
      const { revision } = check(revisionQuery, c.req.query())
      const removed = await fence.change(id, revision, () => skills.remove(id))
      if (removed === false) throw notFound('Skill')
      return c.json({ success: true, id })
    })
    .post('/skills/:id/enable', switchTo(true))
    .post('/skills/:id/disable', switchTo(false))
}
