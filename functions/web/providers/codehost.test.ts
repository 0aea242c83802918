import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createEmulator, type Emulator } from 'emulate'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SignIn, startSignIn, webUrl } from '#tests/support/accounts/sign-in.ts'

const start = `${webUrl}/api/auth/github`
const client = { id: 'platform-app', secret: 'a secret of the tests' }

function settingsOf(baseUrl: string, apiUrl = baseUrl) {
  return {
    CODEHOST_BASE_URL: baseUrl,
    CODEHOST_API_URL: apiUrl,
    CODEHOST_CLIENT_ID: client.id,
    CODEHOST_CLIENT_SECRET: client.secret,
  }
}

describe('sign-in with an independent emulation of the code host', () => {
  let host: Emulator
  let signIn: SignIn

  beforeAll(async () => {
    host = await createEmulator({
      service: 'github',
      port: 0,
      seed: {
        github: {
          users: [
            { login: 'octo', name: 'Octo Cat', email: 'Octo@B.co' },
            { login: 'nameless', email: 'nameless@b.co' },
          ],
          oauth_apps: [
            {
              client_id: client.id,
              client_secret: client.secret,
              name: 'Platform',
              redirect_uris: [`${start}/callback`],
            },
          ],
        },
      },
    })
    signIn = await startSignIn(settingsOf(host.url))
  })
  afterAll(async () => {
    await signIn.close()
    await host.close()
  })

  async function arrive(login: string) {
    const browser = signIn.browser()
    const page = await browser.submit(await browser.open(start), { login })
    return { browser, page, user: await signIn.whoIs(browser) }
  }

  it('requests the address, by code, with PKCE and state', async () => {
    const answer = await signIn.request('/api/auth/github')
    const location = new URL(answer.headers.get('location') ?? '')
    expect(location.origin + location.pathname).toBe(`${host.url}/login/oauth/authorize`)
    expect(Object.fromEntries(location.searchParams)).toEqual({
      client_id: client.id,
      redirect_uri: `${start}/callback`,
      response_type: 'code',
      scope: 'read:user user:email',
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
  })

  it('creates a user with the primary address, and finds them again', async () => {
    const first = await arrive('octo')
    expect(first.page.url.href).toBe(`${webUrl}/dashboard`)
    expect(first.user).toMatchObject({ email: 'octo@b.co', name: 'Octo Cat' })
    expect(await signIn.userOf('octo@b.co')).toMatchObject({ emailVerified: true })
    expect((await arrive('octo')).user).toEqual(first.user)
  })

  it.each([
    ['/agents/agt_1/chat?topic=Refunds', '/login?next=%2Fagents%2Fagt_1%2Fchat%3Ftopic%3DRefunds'],
    // The page checks `next` itself: tests/console/session.test.ts.
    ['//evil.example', '/login?next=%2F%2Fevil.example'],
    ['https://evil.example/', '/login?next=https%3A%2F%2Fevil.example%2F'],
    [`/${'x'.repeat(2000)}`, '/dashboard'],
  ])('forwards its target, %s, to the sign-in page', async (next, to) => {
    const browser = signIn.browser()
    const begun = await browser.open(`${start}?${new URLSearchParams({ next })}`)
    const page = await browser.submit(begun, { login: 'octo' })
    expect(page.url.href).toBe(webUrl + to)
    expect(await signIn.whoIs(browser)).toMatchObject({ email: 'octo@b.co' })
  })

  it('uses the login of a user without a name', async () => {
    expect((await arrive('nameless')).user).toMatchObject({ name: 'nameless' })
  })

  it('rejects the response of another sign-in, and a used code', async () => {
    const { browser } = await arrive('octo')
    const used = browser.visited.find(({ href }) => href.startsWith(`${start}/callback`))
    const replayed = await browser.open(used ?? '')
    expect(replayed.url.href).toBe(`${webUrl}/login?error=CodehostAuthFailed`)
    const answer = new URL(used ?? '')
    const begun = await signIn.request('/api/auth/github')
    const { searchParams } = new URL(begun.headers.get('location') ?? '')
    answer.searchParams.set('state', searchParams.get('state') ?? '')
    const cookie = begun.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const again = await signIn.request(answer.pathname + answer.search, { cookie })
    expect(again.headers.get('location')).toBe(`${webUrl}/login?error=CodehostTokenFailed`)
  })
})

describe('sign-in by a code host with arbitrary responses', () => {
  interface Answers {
    token?: unknown
    user?: unknown
    emails?: unknown
    status?: number
  }
  let answers: Answers = {}
  let signIn: SignIn
  let origin = ''
  const requests: { path: string; authorization: string | undefined; body: URLSearchParams }[] = []

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error))
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { pathname: path } = new URL(request.url ?? '', origin)
    const body = new URLSearchParams(Buffer.concat(chunks).toString())
    requests.push({ path, authorization: request.headers.authorization, body })
    const token = { access_token: 'gho_secret', token_type: 'bearer', scope: 'user:email' }
    const bodies: Record<string, unknown> = {
      '/login/oauth/access_token': answers.token ?? token,
      '/api/v3/user': answers.user ?? { id: 7, login: 'someone', name: null },
      '/api/v3/user/emails': answers.emails ?? [],
    }
    const status = path.startsWith('/api/') ? (answers.status ?? 200) : 200
    response.writeHead(status, { 'content-type': 'application/json', location: '/elsewhere' })
    response.end(JSON.stringify(bodies[path] ?? {}))
  }

  beforeAll(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    signIn = await startSignIn(settingsOf(origin, `${origin}/api/v3`))
  })
  afterAll(async () => {
    await signIn.close()
    server.closeAllConnections()
    server.close()
  })

  /**
   * Signs in with these responses of the code host.
   * @returns where the redirect leads
   */
  async function arrive(given: Answers): Promise<string | null> {
    answers = given
    requests.length = 0
    const begun = await signIn.request('/api/auth/github')
    const { searchParams } = new URL(begun.headers.get('location') ?? '')
    const cookie = begun.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const query = new URLSearchParams({ code: 'c', state: searchParams.get('state') ?? '' })
    const iss = `${origin}/somewhere`
    const path = `/api/auth/github/callback?${query}&iss=${encodeURIComponent(iss)}`
    const answer = await signIn.request(path, { cookie })
    return answer.headers.get('location')
  }

  const email = (address: string, primary: boolean, verified: boolean) => ({
    email: address,
    primary,
    verified,
    visibility: null,
  })

  it('sends the secret in the form, the verifier with the code, and the token to the API', async () => {
    const emails = [email('other@b.co', false, true), email('first@b.co', true, true)]
    expect(await arrive({ emails })).toBe(`${webUrl}/dashboard`)
    expect(await signIn.userOf('first@b.co')).toMatchObject({ name: 'someone' })
    expect(Object.fromEntries(requests[0]?.body ?? [])).toEqual({
      grant_type: 'authorization_code',
      client_id: client.id,
      client_secret: client.secret,
      code: 'c',
      code_verifier: expect.stringMatching(/^[\w-]{43,}$/),
      redirect_uri: `${start}/callback`,
    })
    expect(
      requests
        .slice(1)
        .map(({ path, authorization }) => [path, authorization])
        .sort(),
    ).toEqual([
      ['/api/v3/user', 'Bearer gho_secret'],
      ['/api/v3/user/emails', 'Bearer gho_secret'],
    ])
  })

  it.each<[string, string, Answers]>([
    ['no address', 'NoEmail', { emails: [] }],
    [
      'a primary address that is not verified',
      'NoEmail',
      { emails: [email('a@b.co', true, false)] },
    ],
    [
      'a verified address that is not the primary one',
      'NoEmail',
      { emails: [email('a@b.co', false, true)] },
    ],
    ['a rejected code', 'TokenFailed', { token: { error: 'bad_verification_code' } }],
    ['an invalid token', 'TokenFailed', { token: { access_token: 7, token_type: 'bearer' } }],
    ['a failing API', 'AuthError', { status: 500 }],
    ['a redirecting API', 'AuthError', { status: 302 }],
    ['an endless API response', 'AuthError', { user: { id: 7, login: 'x'.repeat(300_000) } }],
    ['a user without an id', 'AuthError', { user: { login: 'someone' } }],
    ['an invalid list of addresses', 'AuthError', { emails: { message: 'no scope' } }],
  ])('redirects to the login page with %s', async (_, error, given) => {
    expect(await arrive({ emails: [email('a@b.co', true, true)], ...given })).toBe(
      `${webUrl}/login?error=Codehost${error}`,
    )
    expect(requests.map(({ path }) => path)).not.toContain('/elsewhere')
    expect(await signIn.userOf('a@b.co')).toBeUndefined()
  })
})

describe('a code host that is not configured', () => {
  it.each([
    [
      'without a secret',
      { ...settingsOf('https://host.example'), CODEHOST_CLIENT_SECRET: undefined },
    ],
    ['without an id', { ...settingsOf('https://host.example'), CODEHOST_CLIENT_ID: undefined }],
    [
      'with pages of one host and an API of another',
      { ...settingsOf('https://host.example'), CODEHOST_API_URL: undefined },
    ],
  ])('%s redirects to the login page', async (_, settings) => {
    const signIn = await startSignIn(settings)
    for (const path of ['/api/auth/github', '/api/auth/github/callback?code=a&state=b']) {
      const answer = await signIn.request(path)
      expect(answer.headers.get('location')).toBe(`${webUrl}/login?error=CodehostNotConfigured`)
    }
    await signIn.close()
  })

  it('is the public one if only the client is configured', async () => {
    const signIn = await startSignIn({
      CODEHOST_CLIENT_ID: client.id,
      CODEHOST_CLIENT_SECRET: client.secret,
    })
    const answer = await signIn.request('/api/auth/github')
    expect(answer.headers.get('location')).toMatch(
      /^https:\/\/github\.com\/login\/oauth\/authorize\?/,
    )
    await signIn.close()
  })

  it('is called over TLS only, if deployed', async () => {
    const signIn = await startSignIn({ deployed: true, ...settingsOf('http://127.0.0.1:9') })
    const answer = await signIn.request('/api/auth/github')
    expect(answer.headers.get('location')).toBe(`${webUrl}/login?error=CodehostAuthError`)
    await signIn.close()
  })
})
