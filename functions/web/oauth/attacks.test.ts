import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authorization, callback, type OAuth, startOAuth } from '#tests/support/accounts/oauth.ts'
import { anyCharacter } from '#tests/support/platform/any-character.ts'

let on: OAuth
let session: string

beforeAll(async () => {
  on = await startOAuth()
  ;({ session } = await on.signUp('ada@b.co'))
})
afterAll(() => on.close())

const refused = (error: string) => [400, { error, error_description: expect.any(String) }]
const site = 'https://app.example/cb'

describe('a redirect URI that resembles a registered one', () => {
  const near = [
    'https://app.example/cb/',
    'https://app.example/cb/evil',
    'https://app.example/cbevil',
    'https://app.example/c',
    'https://app.example/',
    'https://app.example',
    'https://app.example/CB',
    'https://app.example/%63b',
    'https://app.example//cb',
    'https://app.example/./cb',
    'https://app.example/x/../cb',
    'https://app.example/cb?',
    'https://app.example/cb?next=https://evil.example',
    'https://app.example/cb#',
    'https://app.example/cb#code',
    'https://app.example/cb;evil',
    'https://app.example:443/cb',
    'https://app.example:8443/cb',
    'https://APP.example/cb',
    'HTTPS://app.example/cb',
    'https://app.example./cb',
    'https://evil.app.example/cb',
    'https://app.example.evil.example/cb',
    'https://user@app.example/cb',
    'https://app.example@evil.example/cb',
    'https://app.example:443@evil.example/cb',
    'https://app.example\\@evil.example/cb',
    'https://app。example/cb',
    'https://аpp.example/cb',
    'http://app.example/cb',
    '//app.example/cb',
    'https:app.example/cb',
    'https:/app.example/cb',
    ' https://app.example/cb',
    'https://app.example/cb ',
    'https://app.example/cb\n',
    'https://app.exam\tple/cb',
    'javascript:alert(1)//https://app.example/cb',
  ]

  it.each(near)('is rejected: %j', async (redirect_uri) => {
    const clientId = await on.register({ redirect_uris: [site] })
    for (const by of [session, undefined]) {
      const { answer, location } = await on.authorize(by, authorization(clientId, { redirect_uri }))
      expect([answer.status, location]).toEqual([400, ''])
    }
  })

  it('exchanges no code, and does not consume it', async () => {
    const clientId = await on.register({ redirect_uris: [site] })
    const input = { client_id: clientId, redirect_uri: site }
    const { form } = await on.codeFor(session, input)
    const good = { ...form, redirect_uri: site }
    for (const redirect_uri of near)
      expect(await on.post('/oauth/token', { ...good, redirect_uri })).toEqual(
        refused('invalid_grant'),
      )
    expect((await on.post('/oauth/token', good))[0]).toBe(200)
  })

  it.each([
    'http://localhost:8765/callback',
    'http://127.1:8765/callback',
    'http://0x7f.0.0.1:8765/callback',
    'http://2130706433:8765/callback',
    'http://0.0.0.0:8765/callback',
    'http://127.0.0.2:8765/callback',
    'http://[::ffff:127.0.0.1]:8765/callback',
    'http://[0:0:0:0:0:0:0:1]:8765/callback',
    'http://127.0.0.1:8765:80/callback',
    'http://127.0.0.1:/callback/',
    'http://127.0.0.1:65536/callback',
    'http://127.0.0.1:8765/callback/',
    'http://127.0.0.1.:8765/callback',
    'https://127.0.0.1:8765/callback',
  ])('is not another name of this machine: %s', async (redirect_uri) => {
    const clientId = await on.register({ redirect_uris: [callback] })
    const { answer, location } = await on.authorize(
      session,
      authorization(clientId, { redirect_uri }),
    )
    expect([answer.status, location]).toEqual([400, ''])
  })

  it('is rejected after any change of a registered one', async () => {
    const clientId = await on.register({ redirect_uris: [site] })
    const changed = fc
      .tuple(fc.nat(site.length), fc.nat(1), fc.string({ unit: anyCharacter, maxLength: 2 }))
      .map(([at, taken, put]) => site.slice(0, at) + put + site.slice(at + taken))
      .filter((text) => text !== site)
    await fc.assert(
      fc.asyncProperty(changed, async (redirect_uri) => {
        const { answer, location } = await on.authorize(
          session,
          authorization(clientId, { redirect_uri }),
        )
        expect([redirect_uri, answer.status, location]).toEqual([redirect_uri, 400, ''])
      }),
      { numRuns: 60 },
    )
  })

  it('keeps its registered query, and no forged response parameters', async () => {
    const redirect_uri = `${site}?app=1&code=mine&iss=https://evil.example&state=old`
    const clientId = await on.register({ redirect_uris: [redirect_uri] })
    const state = 'a b&code=other#\r\nSet-Cookie: a=b'
    const { redirectTo, form } = await on.codeFor(session, {
      client_id: clientId,
      redirect_uri,
      state,
    })
    expect([...new URL(redirectTo).searchParams]).toEqual([
      ['app', '1'],
      ['code', form.code],
      ['iss', 'http://localhost:3000'],
      ['state', state],
    ])
    expect(redirectTo).toMatch(/^https:\/\/app\.example\/cb\?[!-~]+$/)
  })
})

describe('PKCE', () => {
  it.each([
    ['no challenge', { code_challenge: '', code_challenge_method: '' }],
    ['a challenge without a method, which means plain', { code_challenge_method: '' }],
    ['plain', { code_challenge_method: 'plain' }],
    ['S256 in lower case', { code_challenge_method: 's256' }],
    ['a method without a challenge', { code_challenge: '' }],
    ['a challenge with padding', { code_challenge: `${'x'.repeat(43)}=` }],
    ['a challenge in hex', { code_challenge: 'a'.repeat(64) }],
  ])('is required despite %s', async (_, more) => {
    const clientId = await on.register()
    const request = authorization(clientId, { redirect_uri: callback, ...more })
    const { location } = await on.authorize(session, request)
    expect(new URL(location).searchParams.get('error')).toBe('invalid_request')
    expect(location.startsWith(`${callback}?`)).toBe(true)
  })

  it('accepts no verifier but the code’s own', async () => {
    const { form, clientId } = await on.codeFor(session)
    const other = await on.codeFor(session, { client_id: clientId })
    const challenge = createHash('sha256').update(form.code_verifier).digest('base64url')
    const { code_verifier: _, ...without } = form
    const wrong = [
      without,
      { ...form, code_verifier: challenge },
      { ...form, code_verifier: other.form.code_verifier },
      { ...form, code_verifier: form.code_verifier.slice(0, 42) },
      { ...form, code_verifier: `${form.code_verifier}=` },
      { ...form, code_verifier: ` ${form.code_verifier}` },
      { ...form, code_verifier: 'x'.repeat(129) },
      { ...without, code_challenge: challenge, code_challenge_method: 'plain' },
    ]
    for (const attempt of wrong)
      expect(await on.post('/oauth/token', attempt)).toEqual(refused('invalid_grant'))
    expect((await on.post('/oauth/token', form))[0]).toBe(200)
  })
})

describe('a credential', () => {
  it('is rejected in place of another kind: codes, tokens and keys', async () => {
    const { form, clientId } = await on.codeFor(session)
    const tokens = await on.tokensFor(session)
    const { key } = await on.newKey(session, 'all')
    const [, device] = await on.post('/oauth/device_authorization', { client_id: clientId })
    const secrets = [
      form.code,
      tokens.access_token,
      tokens.refresh_token,
      key,
      String(device.device_code),
      String(device.user_code),
      session,
    ]
    const grants = [
      ['authorization_code', 'code', form.code],
      ['refresh_token', 'refresh_token', tokens.refresh_token],
      ['urn:ietf:params:oauth:grant-type:device_code', 'device_code', device.device_code],
    ] as const
    for (const [grant_type, field, own] of grants)
      for (const secret of secrets.filter((one) => one !== own)) {
        const { code: _, ...rest } = form
        const request = { ...rest, grant_type, [field]: secret }
        expect(await on.post('/oauth/token', request)).toEqual(refused('invalid_grant'))
      }
    for (const secret of secrets.filter((one) => one !== tokens.access_token && one !== key))
      expect(await on.opens(secret)).toBe(false)
    expect((await on.post('/oauth/token', form))[0]).toBe(200)
  })

  it('is an access token for this server’s resource, with every grant type', async () => {
    const resource = 'https://evil.example/mcp'
    const { form, clientId } = await on.codeFor(session)
    const { refresh_token } = await on.tokensFor(session, { client_id: clientId })
    const [, device] = await on.post('/oauth/device_authorization', { client_id: clientId })
    const requests = [
      form,
      { grant_type: 'refresh_token', client_id: clientId, refresh_token },
      {
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        client_id: clientId,
        device_code: String(device.device_code),
      },
    ]
    for (const one of requests)
      expect(await on.post('/oauth/token', { ...one, resource })).toEqual(refused('invalid_target'))
    const begun = { client_id: clientId, resource }
    expect(await on.post('/oauth/device_authorization', begun)).toEqual(refused('invalid_target'))
    const mine = { resource: 'http://localhost:3000/mcp' }
    expect((await on.post('/oauth/token', { ...requests[1], ...mine }))[0]).toBe(200)
  })
})

it('a device authorization is not found by a guess near its user code', async () => {
  const clientId = await on.register()
  const [, device] = await on.post('/oauth/device_authorization', { client_id: clientId })
  const code = String(device.device_code)
  const userCode = String(device.user_code)
  const decision = { session, body: { userCode, approve: true } }
  expect((await on.oauth('POST', '/oauth/device', decision)).status).toBe(200)
  const poll = (device_code: string) =>
    on.post('/oauth/token', {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      client_id: clientId,
      device_code,
    })
  const guess = fc.oneof(
    fc.constantFrom('', userCode, code.slice(1), `${code}0`, ` ${code}`, code.toUpperCase()),
    fc
      .nat(code.length - 1)
      .map((i) => code.slice(0, i) + (code[i] === 'a' ? 'b' : 'a') + code.slice(i + 1)),
    fc.string({ maxLength: 80 }),
  )
  await fc.assert(
    fc.asyncProperty(guess, async (one) => {
      expect(await poll(one)).toEqual(refused('invalid_grant'))
    }),
    { numRuns: 60 },
  )
  expect((await poll(code))[0]).toBe(200)
})

it('a page of another site cannot decide for a signed-in user', async () => {
  const { location } = await on.authorize(
    session,
    authorization(await on.register(), { redirect_uri: callback }),
  )
  const request = new URL(location).searchParams.get('request')
  const [, device] = await on.post('/oauth/device_authorization', {
    client_id: await on.register(),
  })
  const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  const requests = [
    [`/oauth/requests/${request}`, { approve: true }],
    ['/oauth/device', { userCode: device.user_code, approve: true }],
  ] as const
  for (const [path, body] of requests) {
    const forged = await on.oauth('POST', path, { session, headers, body })
    expect([forged.status, await forged.json()]).toMatchObject([403, { code: 'CSRF' }])
    // The request is still undecided.
    expect((await on.oauth('POST', path, { session, body })).status).toBe(200)
  }
})
