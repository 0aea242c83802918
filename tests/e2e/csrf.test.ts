import { beforeAll, describe, expect, it } from 'vitest'
import { agentsOf, call, newSubscriber, stack, type TestUser } from '../support/stack/platform.ts'

let user: TestUser

beforeAll(async () => {
  user = await newSubscriber('collective')
})

const ask = (headers: Record<string, string>) =>
  call(`${stack().web}/api/agents/provision`, {
    headers: { ...user.session, ...headers },
    body: { name: 'Forged' },
  })

async function csrfToken({ session }: TestUser): Promise<string> {
  const { body } = await call(`${stack().web}/api/auth/csrf`, { headers: session })
  return String(body.token)
}

describe('a request that a browser sends with the cookie', () => {
  it.each([
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    { origin: 'https://evil.example', 'x-csrf-token': 'guess' },
  ])('changes nothing when it comes from another site: %j', async (elsewhere) => {
    const { status, body } = await ask(elsewhere)
    expect([status, body]).toEqual([
      403,
      { error: 'The request comes from another site', code: 'CSRF' },
    ])
    expect(await agentsOf(user)).toEqual([])
  })

  it('is accepted from its own page', async () => {
    expect((await ask({ origin: stack().web })).status).toBe(201)
    expect((await ask({ 'sec-fetch-site': 'same-origin' })).status).toBe(201)
  })

  it("is accepted with the session's token, and with no other session's", async () => {
    const other = await newSubscriber()
    const origin = 'https://partner.example'
    const theirs = await ask({ origin, 'x-csrf-token': await csrfToken(other) })
    expect(theirs.status).toBe(403)
    expect((await ask({ origin, 'x-csrf-token': await csrfToken(user) })).status).toBe(201)
  })

  it('may read from any site', async () => {
    const headers = { ...user.session, origin: 'https://evil.example' }
    const { status } = await call(`${stack().web}/api/agents`, { headers })
    expect(status).toBe(200)
  })

  it('may always sign out', async () => {
    const headers = { ...user.session, origin: 'https://evil.example' }
    const out = await call(`${stack().web}/api/auth/signout`, { method: 'POST', headers })
    expect([out.status, out.body]).toEqual([200, { ok: true }])
    const { body } = await call(`${stack().web}/api/auth/session`, { headers: user.session })
    expect(body).toEqual({ user: null })
  })
})
