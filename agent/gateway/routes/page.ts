import { Hono } from 'hono'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Env } from '../http/app.ts'

/** Allows what the page itself brings, and its own agent to talk to. */
const policy = (nonce: string) =>
  `default-src 'none'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; ` +
  `script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'`

/** A page to talk to the agent, over its WebSocket. */
export function pageRoutes() {
  return new Hono<Env>().get('/', async (c) => {
    const nonce = randomBytes(16).toString('base64')
    const file = new URL('../page/index.html', import.meta.url)
    const page = (await readFile(file, 'utf8')).replaceAll('{nonce}', nonce)
    c.header('content-security-policy', policy(nonce))
    c.header('cache-control', 'no-store')
    c.header('content-type', 'text/html; charset=utf-8')
    return c.body(page)
  })
}
