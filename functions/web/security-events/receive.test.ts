import { exportJWK, generateKeyPair, type JWTPayload } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type MockProvider,
  startMockProvider,
} from '#tests/support/accounts/mock-identity-provider.ts'
import {
  claimsOf,
  eventUri,
  type SecurityEvents,
  startSecurityEvents,
} from '#tests/support/accounts/security-events.ts'
import { webUrl } from '#tests/support/accounts/sign-in.ts'

const paths = ['/api/security/risc', '/api/auth/idp/risc'] as const

let idp: MockProvider
let events: SecurityEvents

beforeAll(async () => {
  idp = await startMockProvider()
  events = await startSecurityEvents({ IDP_ISSUER: idp.issuer })
})
afterAll(async () => {
  await events.close()
  await idp.close()
})

const honest = (change: Record<string, unknown> = {}): JWTPayload => ({
  ...claimsOf(idp.issuer, 'sessions-revoked', { subject: { sub: 's', email: 'a@b.co' } }),
  ...change,
})

async function expectRefused(token: string, message = /^The token is not valid: /): Promise<void> {
  for (const path of paths) {
    const answer = await events.post(token, path)
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { error: expect.stringMatching(message) },
    ])
  }
  expect(await events.take()).toEqual([])
}

describe('a security event receiver', () => {
  it('returns its configuration', async () => {
    const answer = await events.get('/api/security/risc')
    expect([answer.status, await answer.json()]).toEqual([
      200,
      {
        status: 'ok',
        endpoint: `${webUrl}/api/security/risc`,
        description: expect.any(String),
        events_supported: [
          'account-disabled',
          'account-enabled',
          'sessions-revoked',
          'tokens-revoked',
          'account-credential-change-required',
          'verification',
        ],
      },
    ])
    for (const path of ['/api/auth/idp/risc', '/api/security'])
      expect((await events.get(path)).status).toBe(path === '/api/security' ? 404 : 405)
  })

  it.each([
    undefined,
    'application/secevent+jwt',
    'application/json',
    'text/plain',
    'application/x-www-form-urlencoded',
    'nonsense',
  ])('accepts a token at once, with any content type of the body: %s', async (type) => {
    const headers = type === undefined ? {} : { 'content-type': type }
    const claims = honest()
    const answer = await events.post(`${await idp.sign(claims)}\n`, paths[0], headers)
    expect([answer.status, await answer.text()]).toEqual([202, ''])
    expect(await events.take()).toEqual([
      {
        receiver: 'risc',
        jti: claims.jti,
        occurredAt: claims.iat,
        receivedAt: expect.any(Number),
        events: [{ name: 'sessions-revoked', subject: { sub: 's', email: 'a@b.co' } }],
      },
    ])
  })

  it('accepts its older path as before', async () => {
    const claims = honest({ sub: 'Person@b.co', events: { [eventUri('account-compromised')]: {} } })
    const answer = await events.post(await idp.sign(claims), paths[1])
    expect([answer.status, await answer.json()]).toEqual([200, { received: true }])
    expect(await events.take()).toEqual([
      expect.objectContaining({
        receiver: 'legacy',
        events: [{ name: 'account-compromised', subject: { email: 'Person@b.co' } }],
      }),
    ])
  })

  it('accepts an issuer with a trailing slash, and each of the platform’s client ids', async () => {
    for (const change of [
      { iss: `${idp.issuer}/` },
      { aud: 'platform-app' },
      { aud: ['another', 'platform-web'] },
    ])
      expect((await events.post(await idp.sign(honest(change)))).status).toBe(202)
    expect(await events.take()).toHaveLength(3)
  })

  it('does not match another issuer’s person', async () => {
    const subject = { subject_type: 'iss-sub', iss: 'https://elsewhere.example', sub: 's' }
    const claims = honest({ events: { [eventUri('account-disabled')]: { subject } } })
    expect((await events.post(await idp.sign(claims))).status).toBe(202)
    const [message] = await events.take()
    expect(message?.events).toEqual([{ name: 'account-disabled', subject: {} }])
  })

  it('reads a token’s subject if its events do not name one', async () => {
    const sub_id = { format: 'iss_sub', iss: idp.issuer, sub: 'whole' }
    const claims = honest({ sub_id, events: { [eventUri('account-disabled')]: {} } })
    expect((await events.post(await idp.sign(claims))).status).toBe(202)
    expect((await events.take())[0]?.events[0]?.subject).toEqual({ sub: 'whole' })
  })
})

describe('an untrusted token', () => {
  it.each([
    ['nothing', '', /^The body must be a security event token$/],
    ['white space', ' \n', /^The body must be a security event token$/],
    ['one part', 'abc', /three parts/],
    ['two parts', 'abc.def', /three parts/],
    ['four parts', 'a.b.c.d', /three parts/],
    ['five parts, as an encrypted token', 'a.b.c.d.e', /three parts/],
    ['JSON', '{"iss":"x"}', /three parts/],
    ['parts that are not base64', '!.!.!', /three parts/],
    ['parts without JSON', 'abc.def.ghi', /malformed/],
    ['oversized', `${'a'.repeat(70_000)}.b.c`, /too long/],
  ])('is rejected as %s', async (_, body, message) => {
    await expectRefused(body, message)
  })

  it('returns 413 above a megabyte', async () => {
    for (const path of paths)
      expect((await events.post('a'.repeat(1_100_000), path)).status).toBe(413)
  })

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['from another issuer', { iss: 'https://accounts.evil.example' }, /iss/],
    ['from an issuer with the same prefix', { iss: 'x' }, /iss/],
    ['without an issuer', { iss: undefined }, /iss/],
    ['for another platform', { aud: 'another' }, /aud/],
    ['without an audience', { aud: undefined }, /aud/],
    ['with an empty audience', { aud: [] }, /aud/],
    ['without an id', { jti: undefined }, /jti/],
    ['with an empty id', { jti: '' }, /jti/],
    ['with a very long id', { jti: 'j'.repeat(2000) }, /jti/],
    [
      'without events, like an ID token',
      { events: undefined, nonce: 'n', email: 'a@b.co' },
      /events/,
    ],
    ['with no event', { events: {} }, /events/],
    ['with invalid events', { events: 'all' }, /events/],
    ['with a list of events', { events: [] }, /events/],
    ['that has expired', { exp: Math.floor(Date.now() / 1000) - 3600 }, /verified/],
    ['that is not valid yet', { nbf: Math.floor(Date.now() / 1000) + 3600 }, /verified/],
    [
      'that is older than the stored ids',
      { iat: Math.floor(Date.now() / 1000) - 31 * 86_400 },
      /old/,
    ],
  ])('is rejected %s', async (_, change, message) => {
    await expectRefused(await idp.sign(honest(change)), message)
  })

  it('is rejected if anybody could have signed it', async () => {
    const { privateKey } = await generateKeyPair('RS256', { extractable: true })
    const forged = { ...(await exportJWK(privateKey)), kid: idp.key.kid ?? '' }
    const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const embedded = { kty: 'RSA', n: String(forged.n), e: String(forged.e) } as const
    const secret = { kty: 'oct', k: String(idp.key.n) }
    const claims = honest()
    const kid = idp.key.kid
    const good = await idp.sign(claims)
    const [header = '', , signature = ''] = good.split('.')
    for (const token of [
      `${base64({ alg: 'none', kid })}.${base64(claims)}.`,
      `${base64({ alg: 'None', kid })}.${base64(claims)}.${signature}`,
      `${header}.${base64({ ...claims, aud: 'platform-app' })}.${signature}`,
      `${header}.${base64(claims)}.`,
      await idp.sign(claims, {}, forged),
      await idp.sign(claims, { jwk: embedded }, forged),
      await idp.sign(claims, { jku: `${idp.issuer}/jwks`, x5u: 'https://evil.example' }, forged),
      await idp.sign(claims, { alg: 'HS256' }, secret),
    ])
      await expectRefused(token)
  })

  it('is rejected if it names no key, or one that is a path', async () => {
    await expectRefused(await idp.sign(honest(), { kid: undefined } as never), /malformed/)
    for (const kid of ['', '../../etc/passwd', "' OR 1=1 --", '__proto__', '\0'])
      await expectRefused(await idp.sign(honest(), { kid }))
  })
})

describe('a receiver without a provider', () => {
  it.each([
    ['IDP_ISSUER', { IDP_ISSUER: undefined }],
    ['IDP_CLIENT_ID', { IDP_CLIENT_ID: [] }],
  ])('names the missing %s before any other check', async (name, missing) => {
    const without = await startSecurityEvents(
      { IDP_ISSUER: idp.issuer, ...missing },
      events.accounts,
    )
    for (const path of paths) {
      const answer = await without.post('', path)
      expect([answer.status, await answer.json()]).toEqual([
        503,
        { error: 'Security event receiver is not configured', missing: [name] },
      ])
    }
    await without.close()
  })
})
