import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Route } from '../http/router.ts'

/** Nothing but what the page itself brings, and its own agent to talk to. */
const policy = (nonce: string) =>
  `default-src 'none'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; ` +
  `script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'`

/** A page to talk to the agent, over its WebSocket. */
export function pageRoutes(): Route[] {
  return [
    {
      method: 'GET',
      path: '/',
      handle: async ({ response }) => {
        const nonce = randomBytes(16).toString('base64')
        const file = new URL('../page/index.html', import.meta.url)
        const page = (await readFile(file, 'utf8')).replaceAll('{nonce}', nonce)
        response.writeHead(200, {
          'content-type': 'text/html; charset=utf-8',
          'content-length': Buffer.byteLength(page),
          'content-security-policy': policy(nonce),
          'cache-control': 'no-store',
        })
        response.end(page)
      },
    },
  ]
}
