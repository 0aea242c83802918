import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, call } from '../support/http/client.ts'
import { allRoutes } from '../support/http/routes.ts'
import { type OwnStack, startOwnStack } from '../support/stack/stack-process.ts'

const limited = (await allRoutes()).filter(({ route: { limits = [] } }) => limits.length > 0)

let stack: OwnStack

beforeAll(async () => {
  // An empty variable counts as absent: limits are on by default.
  stack = await startOwnStack({ RATE_LIMITS: '' })
})
afterAll(() => stack?.[Symbol.asyncDispose]())

function limitsOf({ headers }: Answer) {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    Number(headers.get(`ratelimit-${name}`) ?? NaN),
  )
  return { limit, remaining: remaining ?? NaN, reset: reset ?? NaN }
}

/** Sends requests until one is refused. Each response before must show one remaining request less. */
async function exhaust(limit: number, ask: (n: number) => Promise<Answer>): Promise<Answer> {
  let left: number | undefined
  let reset = 0
  // A new minute may begin once during the test.
  for (let n = 0; n <= 2 * limit; n++) {
    const answer = await ask(n)
    const now = limitsOf(answer)
    if (now.reset > reset) left = undefined
    expect(now.limit).toBe(limit)
    expect(now.reset).toBeLessThanOrEqual(60)
    if (answer.status === 429) {
      expect(left).toBe(0)
      expect(now.remaining).toBe(0)
      expect(answer.headers.get('retry-after')).toBe(String(now.reset))
      return answer
    }
    expect(now.remaining).toBe(left === undefined ? now.remaining : left - 1)
    left = now.remaining
    ;({ reset } = now)
  }
  throw new Error(`${2 * limit} requests were not refused`)
}

const slowDown = { error: 'Too many requests, please slow down.' }

describe('requests of one address', () => {
  it('requests of one address to deployments are rejected after 5 a minute, before authentication', async () => {
    const refused = await exhaust(5, async (n) => {
      const answer = await call(`${stack.now().backend}/api/deployments`, {
        // The limit uses the connection's address, not the one in headers.
        headers: { 'x-forwarded-for': `203.0.113.${n}`, 'x-real-ip': `203.0.113.${n}` },
        body: { agentId: 'agt_1' },
      })
      expect([401, 429]).toContain(answer.status)
      return answer
    })
    expect(refused.body).toEqual({ error: 'Deployment rate limit exceeded.' })
    const legacy = [...refused.headers.keys()].filter((name) => name.startsWith('x-ratelimit'))
    expect(legacy).toEqual([])
  })

  it('requests of one address to all model routes are rejected after 30 a minute together', async () => {
    // Two functions serve these paths and share one counter.
    const requests = [{ path: 'models' }, { path: 'chat', body: {} }, { path: 'health' }]
    const refused = await exhaust(30, (n) => {
      const { path = '', ...init } = requests[n % requests.length] ?? {}
      return call(`${stack.now().backend}/api/ai/${path}`, init)
    })
    expect(refused.body).toEqual({ error: 'AI rate limit exceeded.' })
  })

  it('requests of one address to the demo are rejected after 60 a minute', async () => {
    const refused = await exhaust(60, () =>
      call(`${stack.now().web}/api/demo/chat`, { body: { message: '' } }),
    )
    expect(refused.body).toEqual({ error: 'Too many requests' })
  })

  it.each([
    ['the backend', 'backend', '/api/agents', 'GET', 120],
    ['agents', 'web', '/api/agents', 'GET', 100],
    ['chat', 'web', '/api/chat', 'GET', 60],
    ['registration', 'web', '/api/register', 'POST', 60],
  ] as const)(
    'requests of one address to %s are rejected at its limit',
    async (_name, surface, path, method, limit) => {
      const refused = await exhaust(limit, (n) =>
        call(stack.now()[surface] + path, {
          method,
          headers: { 'x-forwarded-for': `203.0.113.${n}`, forwarded: `for=203.0.113.${n}` },
        }),
      )
      expect(refused.body).toEqual(slowDown)
    },
  )

  it('requests of one address above one limit do not affect the others', async () => {
    const session = await call(`${stack.now().web}/api/auth/session`)
    expect([session.status, limitsOf(session).limit]).toEqual([200, 300])
    expect((await call(`${stack.now().backend}/health`)).status).toBe(200)
  })
})

it.each(limited)('$name counts its requests', async ({ surface, route: { method, path } }) => {
  const answer = await call(stack.now()[surface] + path.replaceAll(/:\w+(?:\{[^}]*\})?/g, 'x'), {
    method,
    headers: { authorization: 'Bearer sk_nobody' },
  })
  expect(answer.status).not.toBe(500)
  expect(limitsOf(answer).limit).toBeGreaterThan(0)
})
