import { exportJWK, generateKeyPair, type JWTPayload } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type MockProvider,
  startMockProvider,
} from '#tests/support/accounts/mock-identity-provider.ts'
import { type SignIn, startSignIn, webUrl } from '#tests/support/accounts/sign-in.ts'

let idp: MockProvider
let signIn: SignIn

beforeAll(async () => {
  idp = await startMockProvider()
  signIn = await startSignIn({
    IDP_ISSUER: idp.issuer,
    IDP_CLIENT_ID: ['platform-web'],
    IDP_CLIENT_SECRET: 'secret',
    CODEHOST_BASE_URL: 'https://host.example',
    CODEHOST_API_URL: 'https://api.host.example',
    CODEHOST_CLIENT_ID: 'platform-web',
    CODEHOST_CLIENT_SECRET: 'secret',
  })
})
afterAll(async () => {
  await signIn.close()
  await idp.close()
})

interface Begun {
  cookie: string
  state: string
  nonce: string
  /** The callback URL with the provider's response. */
  answer: URL
}

/** Starts a sign-in, up to the redirect back from the provider. */
async function begin(): Promise<Begun> {
  const begun = await signIn.request('/api/auth/idp')
  const location = begun.headers.get('location') ?? ''
  const { searchParams } = new URL(location)
  const consent = await fetch(location, { redirect: 'manual' })
  return {
    cookie: begun.headers.getSetCookie()[0]?.split(';')[0] ?? '',
    state: searchParams.get('state') ?? '',
    nonce: searchParams.get('nonce') ?? '',
    answer: new URL(consent.headers.get('location') ?? ''),
  }
}

/** Sends the provider's response to the callback, and returns the redirect's location. */
async function finish({ answer, cookie }: Pick<Begun, 'answer' | 'cookie'>) {
  const { pathname, search } = answer
  const response = await signIn.request(pathname + search, { cookie })
  expect(response.status).toBe(302)
  const session = response.headers.getSetCookie().some((one) => one.startsWith('service-session='))
  return { location: response.headers.get('location'), session }
}

const refused = (error: string) => ({ location: `${webUrl}/login?error=${error}`, session: false })
const welcome = { location: `${webUrl}/dashboard`, session: true }

let people = 0

/** The claims of an honest ID token. */
function honest({ nonce }: Begun): JWTPayload {
  const now = Math.floor(Date.now() / 1000)
  const sub = `person-${++people}`
  const person = { sub, email: `${sub}@b.co`, email_verified: true }
  return { iss: idp.issuer, aud: 'platform-web', iat: now, exp: now + 60, nonce, ...person }
}

/** Makes the provider return this ID token for the code. */
function answerWith(idToken: unknown): void {
  idp.answerOnce(({ body }) => Object.assign(body, { id_token: idToken }))
}

describe('a response without a request', () => {
  it('is rejected only because of its fault: an unchanged one is accepted', async () => {
    const begun = await begin()
    answerWith(await idp.sign(honest(begun)))
    expect(await finish(begun)).toEqual(welcome)
  })

  it.each<[string, (begun: Begun, other: Begun) => Partial<Begun>]>([
    ['without a cookie', () => ({ cookie: '' })],
    ['with an unsealed cookie', () => ({ cookie: 'service-sign-in-idp=e30' })],
    ['with the cookie of another sign-in', (_, other) => ({ cookie: other.cookie })],
    [
      'with the cookie of the other provider',
      ({ cookie }) => ({ cookie: cookie.replace('idp=', 'codehost=') }),
    ],
    [
      'with the state of another sign-in',
      (one, other) => ({ answer: changed(one, { state: other.state }) }),
    ],
    ['without a state', (one) => ({ answer: changed(one, { state: undefined }) })],
    ['with an empty state', (one) => ({ answer: changed(one, { state: '' }) })],
    ['without a code', (one) => ({ answer: changed(one, { code: undefined }) })],
    ['with an empty code', (one) => ({ answer: changed(one, { code: '' }) })],
    [
      'with an error',
      (one) => ({ answer: changed(one, { code: undefined, error: 'access_denied' }) }),
    ],
    ['with an error and a code', (one) => ({ answer: changed(one, { error: 'access_denied' }) })],
    ['from another issuer', (one) => ({ answer: changed(one, { iss: 'https://evil.example' }) })],
  ])('%s is rejected before the provider is asked', async (_, attack) => {
    const [begun, other] = await Promise.all([begin(), begin()])
    expect(await finish({ ...begun, ...attack(begun, other) })).toEqual(refused('IdpAuthFailed'))
  })

  it('is rejected with a changed cookie', async () => {
    const begun = await begin()
    const [name = '', sealed = ''] = begun.cookie.split('=')
    const middle = sealed[40] === 'A' ? 'B' : 'A'
    for (const forged of [
      sealed.slice(0, 40) + middle + sealed.slice(41),
      sealed.slice(0, 30),
      `v2.${sealed.slice(3)}`,
      'v1.',
      'v1.A',
    ])
      expect(await finish({ ...begun, cookie: `${name}=${forged}` })).toEqual(
        refused('IdpAuthFailed'),
      )
  })

  it('is rejected with the state of the other provider, which has no nonce', async () => {
    const [begun, other] = await Promise.all([begin(), signIn.request('/api/auth/github')])
    const { searchParams } = new URL(other.headers.get('location') ?? '')
    const stored = other.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const answer = changed(begun, { state: searchParams.get('state') ?? '' })
    const cookie = stored.replace('-codehost=', '-idp=')
    expect(await finish({ answer, cookie })).toEqual(refused('IdpAuthFailed'))
  })

  it('is rejected with a used code, and with the code of another sign-in', async () => {
    const begun = await begin()
    answerWith(await idp.sign(honest(begun)))
    expect(await finish(begun)).toEqual(welcome)
    expect(await finish(begun)).toEqual(refused('IdpTokenFailed'))
    const [mine, theirs] = await Promise.all([begin(), begin()])
    const code = theirs.answer.searchParams.get('code') ?? ''
    const injected = { ...mine, answer: changed(mine, { code }) }
    expect(await finish(injected)).toEqual(refused('IdpTokenFailed'))
  })

  it('redirects only to the dashboard, for any content of its URL', async () => {
    const begun = await begin()
    answerWith(await idp.sign(honest(begun)))
    const elsewhere = 'https://evil.example'
    const lured = { next: elsewhere, redirect_uri: elsewhere, returnTo: elsewhere }
    expect(await finish({ ...begun, answer: changed(begun, lured) })).toEqual(welcome)
    const start = await signIn.request(`/api/auth/idp?redirect_uri=${elsewhere}&next=${elsewhere}`)
    expect(start.headers.get('location')).not.toContain('evil')
  })
})

describe('an ID token', () => {
  it.each<[string, string, (claims: JWTPayload) => JWTPayload]>([
    ['of another sign-in', 'IdpAuthFailed', (claims) => ({ ...claims, nonce: 'another' })],
    ['without a nonce', 'IdpAuthFailed', (claims) => without(claims, 'nonce')],
    [
      'of another issuer',
      'IdpTokenFailed',
      (claims) => ({ ...claims, iss: 'https://evil.example' }),
    ],
    ['for another client', 'IdpTokenFailed', (claims) => ({ ...claims, aud: 'another-app' })],
    [
      'for the platform and another client',
      'IdpTokenFailed',
      (claims) => ({ ...claims, aud: ['platform-web', 'evil'] }),
    ],
    [
      'that has expired',
      'IdpTokenFailed',
      (claims) => ({ ...claims, exp: Number(claims.iat) - 3600 }),
    ],
    ['without a subject', 'IdpTokenFailed', (claims) => without(claims, 'sub')],
    ['with a very long name', 'IdpAuthError', (claims) => ({ ...claims, sub: 's'.repeat(256) })],
  ])('%s is rejected', async (_, error, change) => {
    const begun = await begin()
    answerWith(await idp.sign(change(honest(begun))))
    expect(await finish(begun)).toEqual(refused(error))
  })

  it('an ID token that anybody could have signed is rejected', async () => {
    const { privateKey } = await generateKeyPair('RS256', { extractable: true })
    const forged = { ...(await exportJWK(privateKey)), kid: idp.key.kid ?? '' }
    const publicPart = { kty: 'RSA', n: String(forged.n), e: String(forged.e) } as const
    const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const tokens: ((begun: Begun) => Promise<unknown>)[] = [
      async (begun) => `${base64({ alg: 'none' })}.${base64(honest(begun))}.`,
      (begun) => idp.sign(honest(begun), {}, forged),
      (begun) => idp.sign(honest(begun), { kid: 'unknown' }, forged),
      (begun) => idp.sign(honest(begun), { jwk: publicPart }, forged),
      (begun) => idp.sign(honest(begun), { alg: 'HS256' }, { kty: 'oct', k: String(idp.key.n) }),
      async () => 'no.token.atall',
      async () => 42,
      async () => undefined,
    ]
    for (const make of tokens) {
      const begun = await begin()
      answerWith(await make(begun))
      expect(await finish(begun)).toEqual(refused('IdpTokenFailed'))
    }
  })
})

describe('a token endpoint', () => {
  it.each<[string, (answer: { statusCode: number; body: object | '' }) => void]>([
    [
      'with a rejection',
      (answer) => Object.assign(answer, { statusCode: 400, body: { error: 'invalid_grant' } }),
    ],
    ['with a failure', (answer) => Object.assign(answer, { statusCode: 500, body: {} })],
    [
      'with an endless response',
      ({ body }) => Object.assign(body, { padding: 'x'.repeat(300_000) }),
    ],
  ])('%s ends the sign-in', async (_, change) => {
    const begun = await begin()
    idp.answerOnce(change)
    expect(await finish(begun)).toEqual(refused('IdpTokenFailed'))
  })
})

function without(claims: JWTPayload, name: string): JWTPayload {
  return Object.fromEntries(Object.entries(claims).filter(([claim]) => claim !== name))
}

function changed({ answer }: Begun, parameters: Record<string, string | undefined>): URL {
  const url = new URL(answer)
  for (const [name, value] of Object.entries(parameters)) {
    url.searchParams.delete(name)
    if (value !== undefined) url.searchParams.set(name, value)
  }
  return url
}
