import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { acceptsAnonymous } from '#shared/http/limits/limits-of.ts'
import { allRoutes } from '../support/http/routes.ts'
import { type OwnStack, startOwnStack } from '../support/stack/stack-process.ts'

/** contract.md 20: every route without sign-in has a limit per address, and none affects other callers. */

const burst = 300

/** All routes without sign-in. Documents are constants: their functions read nothing and count nothing. */
const open = (await allRoutes()).filter(
  ({ route }) => acceptsAnonymous(route) && route.unlimited !== 'document',
)

/** Bodies and headers that reach further than an empty body. Each attempt is another one. */
const attempts: Record<string, (n: number) => Sent> = {
  'auth.signIn': (n) => ({ body: { email: `nobody${n}@b.co`, password: 'a wrong password' } }),
  'auth.forgotPassword': (n) => ({ body: { email: `nobody${n}@b.co` } }),
  'auth.resetPassword': (n) => ({ body: { token: `${n}`, password: 'another password' } }),
  'keys.validate': (n) => ({ body: { apiKey: `sk_${String(n).padStart(64, '0')}` } }),
  'mcp.call': (n) => ({
    body: { jsonrpc: '2.0', id: n, method: 'tools/list' },
    headers: { authorization: `Bearer sk_${String(n).padStart(64, '0')}` },
  }),
  'agents.bootstrap': (n) => ({ headers: { authorization: `Bearer bt_${n}` } }),
  'installations.heartbeat': (n) => ({ body: { userId: `usr_${n}` } }),
  'invites.use': (n) => ({ body: { code: String(n).padStart(12, '0') } }),
}

interface Sent {
  method?: string
  body?: object
  headers?: Record<string, string>
}

let stack: OwnStack
let key: string
const sockets = new Agent({ keepAlive: true, maxSockets: 100 })

beforeAll(async () => {
  // An empty variable counts as absent: limits are on by default.
  stack = await startOwnStack({ RATE_LIMITS: '' })
  key = await stack.keyOf(await stack.newUser())
})
afterAll(async () => {
  sockets.destroy()
  await stack?.[Symbol.asyncDispose]()
})

/** Sends a request from a loopback address. @returns its status; with the body if it is 500 */
async function send(from: string, url: string, sent: Sent = {}): Promise<number | string> {
  const { body, method = body === undefined ? 'GET' : 'POST', headers } = sent
  const asked = request(url, {
    method,
    agent: sockets,
    localAddress: from,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
  })
  const answered = once(asked, 'response') as Promise<[IncomingMessage]>
  asked.end(body === undefined ? undefined : JSON.stringify(body))
  const [answer] = await answered
  const received = await text(answer)
  return answer.statusCode === 500 ? `500 ${received}` : (answer.statusCode ?? 0)
}

describe('300 requests of one address without sign-in', () => {
  it.each(open.map((one, i) => [one.name, i, one] as const))(
    '300 requests of one address without sign-in to %s leave every other caller’s requests accepted',
    async (_, i, { surface, route: { name, method, path } }) => {
      const now = stack.now()
      const url = now[surface] + path.replaceAll(/:\w+(?:\{[^}]*\})?/g, 'x')
      const attempt = (n: number): Sent => ({
        method,
        ...(method !== 'GET' && { body: {} }),
        ...attempts[name]?.(n),
      })
      const from = `127.1.${i}.1`
      const printed = now.output().length
      const first = await send(from, url, attempt(0))
      const statuses = await Promise.all(
        Array.from({ length: burst }, (__, n) => send(from, url, attempt(n + 1))),
      )
      // The stack prints the lines of failed requests and functions only.
      const lines = now.output().slice(printed).split('\n').slice(-20).join('\n')
      expect(
        statuses.filter((status) => typeof status === 'string'),
        `The stack printed:\n${lines}`,
      ).toEqual([])
      // The same request of another address.
      expect(await send(`127.1.${i}.2`, url, attempt(burst + 1))).toBe(first)
      // A user at the same address, on both surfaces.
      const headers = { authorization: `Bearer ${key}` }
      expect(await send(from, `${now.web}/api/settings`, { headers })).toBe(200)
      expect(await send(from, `${now.web}/api/keys/validate`, { body: { apiKey: key } })).toBe(200)
      expect(await send(from, `${now.backend}/v1/models`, { headers })).toBe(402)
      const internal = { authorization: `Bearer ${now.internalKey}` }
      expect(await send(from, `${now.backend}/api/agents`, { headers: internal })).toBe(200)
    },
  )
})
