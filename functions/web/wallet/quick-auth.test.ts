import { type CryptoKey, decodeJwt, generateKeyPair, type JWK, SignJWT, UnsecuredJWT } from 'jose'
import { OAuth2Server } from 'oauth2-mock-server'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { hmacSha256 } from '#shared/platform/crypto.ts'
import { newWallet } from '#tests/support/accounts/new-wallet.ts'
import { site, startWallets, type Wallets } from '#tests/support/accounts/wallets.ts'

const encryptionKey = 'an envelope key of the tests, 44 characters.'

const verify = (wallets: Wallets, body: unknown) =>
  wallets.call('POST', '/api/auth/farcaster/verify', body)
const refresh = (wallets: Wallets, sessionToken: unknown) =>
  wallets.call('POST', '/api/auth/farcaster/refresh', { sessionToken })

describe('quick auth', () => {
  const server = new OAuth2Server(undefined, undefined, {
    endpoints: { jwks: '/.well-known/jwks.json' },
  })
  const address = newWallet().address
  let wallets: Wallets
  let issuer: string

  beforeAll(async () => {
    await server.issuer.keys.generate('RS256')
    await server.start(0, '127.0.0.1')
    issuer = server.issuer.url ?? ''
    wallets = await startWallets({
      FARCASTER_AUTH_ISSUER: issuer,
      WALLET_ENCRYPTION_KEY: encryptionKey,
    })
  })
  afterAll(async () => {
    await wallets.close()
    await server.stop()
  })

  /** Signs a token like the server's, with the test's changes. */
  function tokenWith(claims: Record<string, unknown> = {}): Promise<string> {
    return server.issuer.buildToken({
      scopesOrTransform: (_, payload) => {
        Object.assign(payload, { sub: 6841, aud: 'app.example.com', address, ...claims })
      },
    })
  }

  it('opens a session', async () => {
    const { status, body } = await verify(wallets, { token: await tokenWith() })
    expect([status, body]).toMatchObject([200, { success: true, fid: 6841, address }])
  })

  it('opens a session without an address if the token does not contain one, or with the fid as text', async () => {
    const token = await tokenWith({ sub: '7', address: undefined })
    const { body } = await verify(wallets, { token })
    expect(body).toMatchObject({ fid: 7, address: null, tokenGated: false, accessLevel: 'basic' })
  })

  it.each<[string, Record<string, unknown>]>([
    ['another site', { aud: 'evil.example.com' }],
    ['another issuer', { iss: 'https://evil.example.com' }],
    ['an expired time', { exp: 1 }],
    ['no expiry', { exp: undefined }],
    ['no account', { sub: undefined }],
    ['an account that is not a number', { sub: 'me' }],
    ['account zero', { sub: 0 }],
    ['an invalid address', { address: '0x12' }],
  ])('rejects a token of %s', async (_, claims) => {
    const { status, body } = await verify(wallets, { token: await tokenWith(claims) })
    expect([status, body]).toEqual([401, { error: 'Invalid token' }])
  })

  it('rejects a token that the issuer has not signed', async () => {
    const claims = { sub: '6841', aud: 'app.example.com', iss: issuer, exp: 4_000_000_000 }
    const [header = '', payload = ''] = (await tokenWith()).split('.')
    const kid = String(JSON.parse(Buffer.from(header, 'base64url').toString()).kid)
    const published = JSON.stringify(server.issuer.keys.toJSON()[0])
    const other = await crypto.subtle.generateKey(
      {
        name: 'RSASSA-PKCS1-v1_5',
        modulusLength: 2048,
        publicExponent: new Uint8Array([1, 0, 1]),
        hash: 'SHA-256',
      },
      false,
      ['sign', 'verify'],
    )
    const sign = (head: { alg: string; kid?: string }, key: CryptoKey | Uint8Array) =>
      new SignJWT(claims).setProtectedHeader(head).sign(key)
    for (const token of [
      new UnsecuredJWT(claims).encode(),
      await sign({ alg: 'HS256', kid }, Buffer.from(published)),
      await sign({ alg: 'RS256', kid }, other.privateKey),
      await sign({ alg: 'RS256', kid: '../../etc/passwd' }, other.privateKey),
      `${header}.${payload}.`,
      `${header}.${payload}.AAAA`,
      'a.b.c',
      'nothing',
    ])
      expect((await verify(wallets, { token })).status).toBe(401)
  })

  it('accepts a key that the issuer has just started to use, and limits requests for unknown keys', async () => {
    const changing = new OAuth2Server(undefined, undefined, {
      endpoints: { jwks: '/.well-known/jwks.json' },
    })
    const first = (await changing.issuer.keys.generate('RS256')) as JWK
    await changing.start(0, '127.0.0.1')
    const iss = changing.issuer.url ?? ''
    const fresh = await startWallets({
      FARCASTER_AUTH_ISSUER: iss,
      WALLET_ENCRYPTION_KEY: encryptionKey,
    })
    const published = vi.spyOn(changing.issuer.keys, 'toJSON')
    const { privateKey } = await generateKeyPair('RS256')
    const claims = { sub: '6841', aud: 'app.example.com', iss, exp: 4_000_000_000 }
    const signed = (kid: string, key: CryptoKey | JWK) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(key)
    const known = await signed(first.kid ?? '', first)
    expect((await verify(fresh, { token: known })).status).toBe(200)
    const next = (await changing.issuer.keys.generate('RS256')) as JWK
    const token = await signed(next.kid ?? '', next)
    expect((await verify(fresh, { token })).status).toBe(200)
    for (let i = 0; i < 20; i++) {
      const unknown = await signed(`unknown-${i}`, privateKey)
      expect((await verify(fresh, { token: unknown })).status).toBe(401)
    }
    expect((await verify(fresh, { token })).status).toBe(200)
    expect(published).toHaveBeenCalledTimes(2)
    await changing.stop()
    await fresh.close()
  })

  it('is unavailable while the keys are', async () => {
    const lost = await startWallets({ FARCASTER_AUTH_ISSUER: 'http://127.0.0.1:1' })
    const { status, body } = await verify(lost, { token: await tokenWith() })
    expect([status, body.error]).toEqual([503, expect.stringMatching(/cannot be fetched/)])
    await lost.close()
  })

  it('is unavailable if the issuer returns no keys', async () => {
    const nowhere = await startWallets({ FARCASTER_AUTH_ISSUER: `${issuer}/nowhere` })
    expect((await verify(nowhere, { token: await tokenWith() })).status).toBe(503)
    await nowhere.close()
  })

  describe('refresh', () => {
    const opened = async () => (await verify(wallets, { token: await tokenWith() })).body

    it('exchanges a valid token for one with a later expiry', async () => {
      const exp = (token: unknown) => Number(decodeJwt(String(token)).exp)
      const first = await opened()
      const nearItsEnd = (exp(first.sessionToken) - 10) * 1000
      vi.useFakeTimers({ now: nearItsEnd, toFake: ['Date'] })
      const { status, body } = await refresh(wallets, first.sessionToken)
      vi.useRealTimers()
      expect([status, body]).toEqual([200, { ...first, sessionToken: expect.any(String) }])
      expect(exp(body.sessionToken) - exp(first.sessionToken)).toBe(3_590)
    })

    it('rejects an expired token', async () => {
      const { sessionToken } = await opened()
      vi.useFakeTimers({ now: Date.now() + 3_601_000, toFake: ['Date'] })
      const { status } = await refresh(wallets, sessionToken)
      vi.useRealTimers()
      expect(status).toBe(401)
    })

    it('requires another proof after thirty days, regardless of refreshes', async () => {
      let token = (await opened()).sessionToken
      let days = 0
      vi.useFakeTimers({ toFake: ['Date'] })
      for (let status = 200; status === 200; days += 1 / 24 / 2) {
        vi.setSystemTime(Date.now() + 1_800_000)
        const answer = await refresh(wallets, token)
        status = answer.status
        token = answer.body.sessionToken
      }
      vi.useRealTimers()
      expect(days).toBeCloseTo(30, 0)
    })

    it('rejects tokens of other issuers', async () => {
      const claims = { sub: '1', aud: 'farcaster', iss: site, exp: 4_000_000_000 }
      const forged = { ...claims, address: null, auth_time: Math.floor(Date.now() / 1000) }
      const { sessionToken } = await opened()
      const [header = '', , signature = ''] = String(sessionToken).split('.')
      const payload = Buffer.from(JSON.stringify(forged)).toString('base64url')
      const foreign = await startWallets({
        FARCASTER_AUTH_ISSUER: issuer,
        WALLET_ENCRYPTION_KEY: 'another key of another installation, long',
      })
      const theirs = (await verify(foreign, { token: await tokenWith() })).body.sessionToken
      await foreign.close()
      for (const token of [
        new UnsecuredJWT(forged).encode(),
        await new SignJWT(forged).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.alloc(32)),
        await new SignJWT(forged)
          .setProtectedHeader({ alg: 'HS256' })
          .sign(Buffer.from(encryptionKey)),
        `${header}.${payload}.${signature}`,
        await new SignJWT({ ...forged, address: 'me' })
          .setProtectedHeader({ alg: 'HS256' })
          .sign(await hmacSha256(encryptionKey, 'farcaster-session-token')),
        await tokenWith(),
        theirs,
        'nothing',
      ])
        expect((await refresh(wallets, token)).status).toBe(401)
    })
  })
})
