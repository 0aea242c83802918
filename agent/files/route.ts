import { Hono } from 'hono'
import * as z from 'zod'
import type { Env } from '../gateway/http/app.ts'
import { readBody } from '../gateway/http/input.ts'
import { Problem } from '../gateway/http/problem.ts'
import type { Files } from './files.ts'
import { pathSchema } from './path.ts'

const bodySchema = z.object({ path: pathSchema.optional() })

/** The platform's request to store changes of the agent, and to take over its own. */
export function filesRoutes(files: Files) {
  return new Hono<Env>().post('/files/sync', async (c) => {
    const { path } = await readBody(c, bodySchema)
    const version = await files.sync(path).catch((cause: unknown) => {
      throw new Problem(503, 'not_stored', 'The files cannot be stored now', {
        headers: { 'retry-after': '5' },
        cause,
      })
    })
    return c.json({ version })
  })
}
