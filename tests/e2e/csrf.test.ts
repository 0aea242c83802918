import { describe, expect, it } from 'vitest'
import { agentsOf, call, newSubscriber, stack, type TestUser } from '../support/platform.ts'

const ask = (headers: Record<string, string>) =>
  call(`${stack().web}/api/agents/provision`, { headers, body: { name: 'Forged' } })

const refusal = [403, { error: 'The request comes from another site', code: 'CSRF' }]

async function csrfToken(user: TestUser): Promise<string> {
  const { body } = await call(`${stack().web}/api/auth/csrf`, { headers: user.session })
  return String(body.token)
}

describe('a request that a browser sends with the cookie on it', () => {
  it.each([
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    { origin: 'https://evil.example', 'x-csrf-token': 'guess' },
  ])('changes nothing when it comes from elsewhere: %j', async (elsewhere) => {
    const user = await newSubscriber()
    const { status, body } = await ask({ ...user.session, ...elsewhere })
    expect([status, body]).toEqual(refusal)
    expect(await agentsOf(user)).toEqual([])
  })

  it.each(['own origin', 'sec-fetch-site'])('passes by its %s', async (which) => {
    const user = await newSubscriber()
    const headers: Record<string, string> =
      which === 'own origin' ? { origin: stack().web } : { 'sec-fetch-site': 'same-origin' }
    expect((await ask({ ...user.session, ...headers })).status).toBe(201)
  })

  it("passes with the session's token, and with no other session's", async () => {
    const [user, other] = await Promise.all([newSubscriber(), newSubscriber()])
    const from = (token: string) => ({
      ...user.session,
      origin: 'https://partner.example',
      'x-csrf-token': token,
    })
    expect((await ask(from(await csrfToken(other)))).status).toBe(403)
    expect((await ask(from(await csrfToken(user)))).status).toBe(201)
  })

  it('may read from anywhere', async () => {
    const user = await newSubscriber()
    const headers = { ...user.session, origin: 'https://evil.example' }
    const { status } = await call(`${stack().web}/api/agents`, { headers })
    expect(status).toBe(200)
  })

  it('may always sign out', async () => {
    const user = await newSubscriber()
    const headers = { ...user.session, origin: 'https://evil.example' }
    const out = await call(`${stack().web}/api/auth/signout`, { method: 'POST', headers })
    expect([out.status, out.body]).toEqual([200, { ok: true }])
    const { body } = await call(`${stack().web}/api/auth/session`, { headers: user.session })
    expect(body).toEqual({ user: null })
  })
})
