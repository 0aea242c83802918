import { readFile } from 'node:fs/promises'
import { Hono } from 'hono'
import type { Env } from '../http/app.ts'
import { Problem } from '../http/problem.ts'

/** Reads a file of the page, which the build creates from console/pages/agent. */
async function built(name: string): Promise<string> {
  try {
    return await readFile(new URL(`../page/${name}`, import.meta.url), 'utf8')
  } catch (cause) {
    const message = 'The page is not built: run npm run build first'
    throw new Problem(503, 'page_not_built', message, { cause })
  }
}

/** The page for a chat with the agent, with the agent's name. */
export function pageRoutes(agentName: string) {
  const name = agentName.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return new Hono<Env>().get('/', async (c) => {
    const [page, policy] = await Promise.all([built('index.html'), built('policy.txt')])
    c.header('content-security-policy', policy)
    c.header('cache-control', 'no-store')
    c.header('referrer-policy', 'same-origin')
    c.header('content-type', 'text/html; charset=utf-8')
    return c.body(page.replace('%agent%', () => name))
  })
}
