import { exportJWK, generateKeyPair, type JWK } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  type MockProvider,
  startMockProvider,
} from '#tests/support/accounts/mock-identity-provider.ts'
import { type SignIn, startSignIn, webUrl } from '#tests/support/accounts/sign-in.ts'

let idp: MockProvider
let signIn: SignIn
let stranger: JWK

beforeAll(async () => {
  idp = await startMockProvider()
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  stranger = await exportJWK(privateKey)
})
afterAll(async () => {
  await idp.close()
})
afterEach(async () => {
  vi.restoreAllMocks()
  vi.useRealTimers()
  await signIn.close()
})

/**
 * Makes routes with an empty cache.
 * @returns a function that counts their requests for the provider's keys
 */
async function fresh(): Promise<() => number> {
  signIn = await startSignIn({
    IDP_ISSUER: idp.issuer,
    IDP_CLIENT_ID: ['platform-web'],
    IDP_CLIENT_SECRET: 'secret',
  })
  const published = vi.spyOn(idp.server.issuer.keys, 'toJSON')
  return () => published.mock.calls.length
}

let people = 0

/**
 * Runs a whole sign-in with an ID token signed by a key.
 * @returns where the redirect leads
 */
async function arrive(key: JWK, kid = key.kid): Promise<string | null> {
  const begun = await signIn.request('/api/auth/idp')
  const consentUrl = begun.headers.get('location') ?? ''
  const consent = await fetch(consentUrl, { redirect: 'manual' })
  const { pathname, search } = new URL(consent.headers.get('location') ?? '')
  const now = Math.floor(Date.now() / 1000)
  const sub = `person-${++people}`
  const token = await idp.sign(
    {
      iss: idp.issuer,
      aud: 'platform-web',
      iat: now,
      exp: now + 60,
      nonce: new URL(consentUrl).searchParams.get('nonce') ?? '',
      sub,
      email: `${sub}@b.co`,
      email_verified: true,
    },
    { kid: kid ?? '' },
    key,
  )
  idp.answerOnce(({ body }) => Object.assign(body, { id_token: token }))
  const cookie = begun.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const answer = await signIn.request(pathname + search, { cookie })
  return answer.headers.get('location')
}

const rotated = async () => (await idp.server.issuer.keys.generate('RS256')) as JWK
const welcome = `${webUrl}/dashboard`
const refused = `${webUrl}/login?error=IdpTokenFailed`

describe('a provider’s signing keys', () => {
  it('are fetched once for many sign-ins', async () => {
    const asked = await fresh()
    for (let i = 0; i < 5; i++) expect(await arrive(idp.key)).toBe(welcome)
    expect(asked()).toBe(1)
  })

  it('may change between two sign-ins, and both succeed', async () => {
    const asked = await fresh()
    expect(await arrive(idp.key)).toBe(welcome)
    const next = await rotated()
    expect(await arrive(next)).toBe(welcome)
    expect(await arrive(idp.key)).toBe(welcome)
    expect(await arrive(next)).toBe(welcome)
    expect(asked()).toBe(2)
  })

  it('are not fetched again and again for unknown key ids', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const asked = await fresh()
    expect(await arrive(idp.key)).toBe(welcome)
    for (let i = 0; i < 20; i++) expect(await arrive(stranger, `unknown-${i}`)).toBe(refused)
    expect(await arrive(idp.key)).toBe(welcome)
    expect(asked()).toBe(2)
    const next = await rotated()
    vi.setSystemTime(Date.now() + 31_000)
    expect(await arrive(next)).toBe(welcome)
    for (let i = 0; i < 20; i++) expect(await arrive(stranger, `unknown-${i}`)).toBe(refused)
    expect(await arrive(next)).toBe(welcome)
    expect(asked()).toBe(3)
  })
})
