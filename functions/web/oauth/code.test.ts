import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sha256Hex } from '#shared/platform/crypto.ts'
import { callback, type OAuth, startOAuth, webUrl } from '#tests/support/accounts/oauth.ts'
import { platformOver } from '#tests/support/http/platform-over.ts'

let on: OAuth
let session: string

beforeAll(async () => {
  on = await startOAuth()
  ;({ session } = await on.signUp('ada@b.co'))
})
afterAll(() => on.close())

const refused = (error: string) => [400, { error, error_description: expect.any(String) }]
const challenge = 'x'.repeat(43)

const query = (clientId: string, more: Record<string, string> = {}) => ({
  response_type: 'code',
  client_id: clientId,
  redirect_uri: callback,
  code_challenge: challenge,
  code_challenge_method: 'S256',
  state: 's',
  ...more,
})

describe('the metadata documents', () => {
  it('list all endpoints, and the resource of the tokens', async () => {
    const server = await on.oauth('GET', '/.well-known/oauth-authorization-server')
    expect(await server.json()).toMatchObject({
      issuer: webUrl,
      token_endpoint: `${webUrl}/oauth/token`,
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
    })
    for (const path of ['', '/mcp']) {
      const resource = await on.oauth('GET', `/.well-known/oauth-protected-resource${path}`)
      expect(await resource.json()).toMatchObject({
        resource: webUrl + path,
        authorization_servers: [webUrl],
        scopes_supported: ['read', 'chat', 'write'],
      })
    }
  })
})

describe('authorizing', () => {
  it('redirects a signed-out user to the sign-in, and then to the consent page', async () => {
    const clientId = await on.register()
    const { answer, location } = await on.authorize(undefined, query(clientId))
    expect(answer.status).toBe(302)
    const next = new URL(location).searchParams.get('next') ?? ''
    expect(next).toMatch(/^\/oauth\/authorize\?response_type=code&client_id=cli_/)
    const response = await on.oauth('GET', next, { session })
    expect(response.headers.get('location')).toMatch(`${webUrl}/connect?request=oar_`)
  })

  it('is decided once, by the user who was asked', async () => {
    const clientId = await on.register({ client_name: 'A\u202eB\nC' })
    const { location } = await on.authorize(session, query(clientId, { scope: 'admin read' }))
    const path = `/oauth/requests/${new URL(location).searchParams.get('request')}`
    const other = await on.signUp('mallory@b.co')
    const body = { approve: true }
    expect((await on.oauth('GET', path, { session: other.session })).status).toBe(404)
    expect((await on.oauth('POST', path, { session: other.session, body })).status).toBe(404)
    expect((await on.oauth('GET', path)).status).toBe(401)
    const { key } = await on.newKey(session, 'all', { scopes: ['admin'] })
    expect((await on.oauth('POST', path, { key, body })).status).toBe(403)
    expect((await on.oauth('POST', path, { session, body: { approve: 'yes' } })).status).toBe(400)
    expect(await (await on.oauth('GET', path, { session })).json()).toEqual({
      clientName: 'A B C',
      scopes: ['read', 'admin'],
      redirectHost: '127.0.0.1:8765',
    })
    const answers = await Promise.all(
      [1, 2, 3].map(() => on.oauth('POST', path, { session, body })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404])
    expect((await on.oauth('GET', path, { session })).status).toBe(404)
  })

  it('a rejected authorization returns an error to the program, with its issuer', async () => {
    const clientId = await on.register()
    const { location } = await on.authorize(session, query(clientId))
    const requestId = new URL(location).searchParams.get('request') ?? ''
    const { oauth } = platformOver(on.oauth, { session })
    const { redirectTo } = await oauth.decideRequest(requestId, { approve: false })
    expect(Object.fromEntries(new URL(redirectTo).searchParams)).toEqual({
      error: 'access_denied',
      state: 's',
      iss: webUrl,
    })
  })

  it.each([
    ['a neighbour', 'http://127.0.0.1:8765/callback2'],
    ['a path below', 'http://127.0.0.1:8765/callback/'],
    ['another query', 'http://127.0.0.1:8765/callback?a=b'],
    ['another letter case', 'http://127.0.0.1:8765/CALLBACK'],
    ['another host', 'http://127.0.0.1.evil.example:8765/callback'],
    ['a user name', 'http://127.0.0.1:8765@evil.example/callback'],
    ['the other loopback address', 'http://[::1]:8765/callback'],
    ['another scheme', 'https://127.0.0.1:8765/callback'],
    ['dots', 'http://127.0.0.1:8765/x/../callback'],
    ['none', ''],
  ])('never redirects to %s', async (_, redirect_uri) => {
    const clientId = await on.register()
    const { answer, location } = await on.authorize(session, query(clientId, { redirect_uri }))
    expect([answer.status, location]).toEqual([400, ''])
  })

  it('redirects to any port of this machine', async () => {
    const clientId = await on.register()
    const redirect_uri = 'http://127.0.0.1:50123/callback'
    const { location } = await on.authorize(session, query(clientId, { redirect_uri }))
    expect(location).toContain('/connect?request=')
  })

  it.each([
    ['http://localhost:3334/cb', 'http://localhost:50123/cb', 'localhost:50123'],
    ['http://localhost/cb', 'http://localhost:50123/cb', 'localhost:50123'],
    ['cursor://host/cb?kind=mcp', 'cursor://host/cb?kind=mcp', 'cursor:'],
    ['com.example.app:/cb', 'com.example.app:/cb', 'com.example.app:'],
  ])(
    'the authorization of a program that registered %s redirects to %s',
    async (registered, asked, shown) => {
      const client_id = await on.register({ redirect_uris: [registered] })
      const { redirectTo, request } = await on.codeFor(session, { client_id, redirect_uri: asked })
      expect(redirectTo.startsWith(asked)).toBe(true)
      expect(new URL(redirectTo).searchParams.get('code')).toMatch(/./)
      expect(request).not.toBe('')
      const again = await on.authorize(session, query(client_id, { redirect_uri: asked }))
      const id = new URL(again.location).searchParams.get('request') ?? ''
      const { oauth } = platformOver(on.oauth, { session })
      const { redirectHost } = await oauth.getRequest(id)
      expect(redirectHost).toBe(shown)
    },
  )

  it.each([
    ['http://localhost:3334/cb', 'http://127.0.0.1:3334/cb'],
    ['http://127.0.0.1:3334/cb', 'http://localhost:3334/cb'],
    ['http://localhost:3334/cb', 'http://localhost.evil.example:3334/cb'],
    ['http://localhost:3334/cb', 'https://localhost:3334/cb'],
    ['cursor://host/cb', 'cursor://host:1/cb'],
    ['cursor://host/cb', 'cursor://other/cb'],
    ['com.example.app:/cb', 'com.example.app:/cb/'],
  ])(
    'the authorization of a program that registered %s never redirects to %s',
    async (registered, redirect_uri) => {
      const clientId = await on.register({ redirect_uris: [registered] })
      const { answer, location } = await on.authorize(session, query(clientId, { redirect_uri }))
      expect([answer.status, location]).toEqual([400, ''])
    },
  )

  it('a malicious authorization request opens no program by its scheme', async () => {
    const clientId = await on.register({ redirect_uris: ['editor://cb'] })
    const wrong = query(clientId, { redirect_uri: 'editor://cb', response_type: 'token' })
    const { answer, location } = await on.authorize(session, wrong)
    expect([answer.status, location]).toEqual([400, ''])
  })

  it.each([
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ code_challenge: 'short' }, 'invalid_request'],
    [{ scope: 'read root' }, 'invalid_scope'],
    [{ resource: 'https://evil.example/mcp' }, 'invalid_target'],
  ])('warns of a program on this machine: %o', async (more, error) => {
    const clientId = await on.register()
    const { location } = await on.authorize(session, query(clientId, more as never))
    expect(Object.fromEntries(new URL(location).searchParams)).toMatchObject({
      error,
      state: 's',
      iss: webUrl,
    })
  })

  it('the authorization of an unregistered program is not redirected', async () => {
    const { answer } = await on.authorize(session, query(`cli_${'0'.repeat(26)}`))
    expect([answer.status, await answer.json()]).toEqual(refused('invalid_client'))
  })
})

describe('a code', () => {
  it('is exchanged for tokens with the granted scopes, and their issuer', async () => {
    const { form, redirectTo } = await on.codeFor(session)
    expect(new URL(redirectTo).searchParams.get('iss')).toBe(webUrl)
    expect(new URL(redirectTo).searchParams.get('state')).toBe('the state')
    const [status, tokens] = await on.post('/oauth/token', form)
    expect([status, tokens]).toEqual([
      200,
      {
        access_token: expect.stringMatching(/^at_/),
        token_type: 'Bearer',
        expires_in: 3600,
        refresh_token: expect.stringMatching(/^rt_/),
        scope: 'read chat write',
      },
    ])
    const token = String(tokens.access_token)
    expect(await on.opens(token)).toBe(true)
    const made = await on.call('POST', '/api/keys', { key: token, body: { name: 'a' } })
    expect([made.status, await made.json()]).toMatchObject([403, { scope: 'admin' }])
    const rows = await on.table.query({ pk: `user#${session.split('.')[0]}`, beginsWith: 'grant#' })
    expect(JSON.stringify(rows.items)).not.toContain(token)
  })

  it.each([
    ['another verifier', { code_verifier: 'a'.repeat(43) }],
    ['no verifier', { code_verifier: '' }],
    ['another redirect URI', { redirect_uri: `${callback}/` }],
    ['another code', { code: 'a'.repeat(43) }],
  ])('is rejected with %s, and stays valid', async (_, more) => {
    const { form } = await on.codeFor(session)
    expect(await on.post('/oauth/token', { ...form, ...more })).toEqual(refused('invalid_grant'))
    expect((await on.post('/oauth/token', form))[0]).toBe(200)
  })

  it('is accepted only from its own program', async () => {
    const { form } = await on.codeFor(session)
    const thief = { ...form, client_id: await on.register() }
    expect(await on.post('/oauth/token', thief)).toEqual(refused('invalid_grant'))
    expect((await on.post('/oauth/token', form))[0]).toBe(200)
  })

  it('a code that is used twice revokes its tokens', async () => {
    const { form } = await on.codeFor(session)
    const [, tokens] = await on.post('/oauth/token', form)
    const wrong = { ...form, code_verifier: 'a'.repeat(43) }
    expect(await on.post('/oauth/token', wrong)).toEqual(refused('invalid_grant'))
    expect(await on.opens(String(tokens.access_token))).toBe(true)
    expect(await on.post('/oauth/token', form)).toEqual(refused('invalid_grant'))
    expect(await on.opens(String(tokens.access_token))).toBe(false)
  })

  it('is exchanged once under concurrent requests', async () => {
    const { form } = await on.codeFor(session)
    const answers = await Promise.all([1, 2, 3, 4].map(() => on.post('/oauth/token', form)))
    expect(answers.map(([status]) => status).sort()).toEqual([200, 400, 400, 400])
  })

  it('is valid for a minute, and ends with the user’s sessions', async () => {
    const late = await on.codeFor(session)
    const key = { pk: `oauth-code#${await sha256Hex(late.form.code)}`, sk: 'code' }
    const validUntil = new Date(Date.now() - 1).toISOString()
    await on.table.update(key, { set: { validUntil } })
    expect(await on.post('/oauth/token', late.form)).toEqual(refused('invalid_grant'))
    const moved = await on.signUp('moved@b.co')
    const { form } = await on.codeFor(moved.session)
    await on.table.update({ pk: `user#${moved.id}`, sk: 'profile' }, { set: { accessEpoch: 1 } })
    expect(await on.post('/oauth/token', form)).toEqual(refused('invalid_grant'))
  })
})

describe('the token endpoint', () => {
  it.each([
    [{ grant_type: '' }, 'invalid_request'],
    [{ grant_type: 'password' }, 'unsupported_grant_type'],
    [{ resource: 'https://evil.example' }, 'invalid_target'],
  ])('rejects %o', async (more: object, error) => {
    const { form } = await on.codeFor(session)
    expect(await on.post('/oauth/token', { ...form, ...more })).toEqual(refused(error))
  })

  it('accepts only forms, each field once, and forbids caching', async () => {
    const json = await on.oauth('POST', '/oauth/token', { body: { grant_type: 'refresh_token' } })
    expect([json.status, await json.json()]).toEqual(refused('invalid_request'))
    const twice = await on.oauth('POST', '/oauth/token', {
      text: 'grant_type=refresh_token&grant_type=authorization_code',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect([twice.status, await twice.json()]).toEqual(refused('invalid_request'))
    expect(twice.headers.get('cache-control')).toBe('no-store')
  })

  it('rejects an unregistered program', async () => {
    const form = { grant_type: 'refresh_token', client_id: 'cli_x', refresh_token: 'rt_x' }
    const [status, body] = await on.post('/oauth/token', form)
    expect([status, body.error]).toEqual([401, 'invalid_client'])
  })
})
