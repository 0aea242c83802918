import { Wallet } from 'ethers'
import { type CryptoKey, decodeJwt, SignJWT, UnsecuredJWT } from 'jose'
import { OAuth2Server } from 'oauth2-mock-server'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { idRegistry, keyRegistry } from '../../../shared/farcaster/registries.ts'
import { hmacSha256 } from '../../../shared/platform/crypto.ts'
import { type Anvil, noAnvil, startAnvil } from '../../../tests/support/anvil.ts'
import { keyDataCode, lookupCode, place, store } from '../../../tests/support/contracts.ts'
import { proof, site, startWallets, type Wallets } from '../../../tests/support/wallets.ts'

const path = '/api/auth/farcaster/verify'
const refreshPath = '/api/auth/farcaster/refresh'
const encryptionKey = 'an envelope key of the tests, 44 characters.'

const verify = (wallets: Wallets, body: unknown) => wallets.call('POST', path, body)
const refresh = (wallets: Wallets, sessionToken: unknown) =>
  wallets.call('POST', refreshPath, { sessionToken })

describe.skipIf(noAnvil)(
  `Sign In With Farcaster${noAnvil === undefined ? '' : ` (skipped: ${noAnvil})`}`,
  () => {
    const custodian = Wallet.createRandom()
    const delegate = Wallet.createRandom()
    const fid = 6841
    let anvil: Anvil
    let wallets: Wallets

    beforeAll(async () => {
      anvil = await startAnvil(10)
      await place(anvil, idRegistry, lookupCode)
      await place(anvil, keyRegistry, keyDataCode)
      await store(anvil, idRegistry, hex(custodian), BigInt(fid))
      await store(anvil, keyRegistry, BigInt(fid) + BigInt(delegate.address), keyData(2, 1))
      wallets = await startWallets({
        FARCASTER_RPC_URL: anvil.url,
        WALLET_ENCRYPTION_KEY: encryptionKey,
      })
    })
    afterAll(async () => {
      await wallets.close()
      await anvil.close()
    })

    async function signedIn(fields: Parameters<typeof proof>[1] = {}, signer = custodian) {
      const message = {
        statement: 'Farcaster Auth',
        chainId: 10,
        resources: [about(fid)],
        ...fields,
      }
      const given = await proof(wallets, message, signer)
      return { ...given, nonce: /Nonce: (\w+)/.exec(given.message)?.[1] ?? '' }
    }

    it('opens a session for the custody address of an account', async () => {
      const { status, body } = await verify(wallets, await signedIn())
      expect([status, body]).toEqual([
        200,
        {
          success: true,
          sessionToken: expect.stringMatching(/^eyJ/),
          fid,
          address: custodian.address,
          tokenGated: false,
          accessLevel: 'basic',
        },
      ])
      const claims = decodeJwt(String(body.sessionToken))
      expect(claims).toMatchObject({ iss: site, sub: String(fid), address: custodian.address })
      expect(Number(claims.exp) - Number(claims.iat)).toBe(3_600)
    })

    it('opens one for an auth address, if the message says that it is one', async () => {
      const resources = [about(fid), 'farcaster://signer/type/authAddress']
      const { status, body } = await verify(wallets, await signedIn({ resources }, delegate))
      expect([status, body.fid, body.address]).toEqual([200, fid, delegate.address])
      expect((await verify(wallets, await signedIn({}, delegate))).status).toBe(401)
      expect((await verify(wallets, await signedIn({ resources }))).status).toBe(401)
    })

    it.each([
      ['of another type', keyData(1, 1)],
      ['that was removed', keyData(2, 2)],
    ])('does not take a key %s for an auth address', async (_, data) => {
      const other = Wallet.createRandom()
      await store(anvil, keyRegistry, BigInt(fid) + BigInt(other.address), data)
      const resources = [about(fid), 'farcaster://signer/type/authAddress']
      expect((await verify(wallets, await signedIn({ resources }, other))).status).toBe(401)
    })

    it('works once', async () => {
      const given = await signedIn()
      const answers = await Promise.all(Array.from({ length: 8 }, () => verify(wallets, given)))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(401)])
    })

    it.each<[string, Parameters<typeof proof>[1], Wallet?]>([
      ['the account of somebody else', { resources: [about(6842)] }],
      ['no account', { resources: [] }],
      ['two accounts', { resources: [about(fid), about(6842)] }],
      ['account zero', { resources: [about(0)] }],
      ['an account past all numbers', { resources: [`farcaster://fid/${'9'.repeat(30)}`] }],
      ['another statement', { statement: 'Buy this' }],
      ['the chain of the site', { chainId: 8453 }],
      ['another domain', { domain: 'evil.example.com' }],
      ['an end that is past', { expirationTime: '2020-01-01T00:00:00Z' }],
    ])('is refused with %s', async (_, fields) => {
      const { status, body } = await verify(wallets, await signedIn(fields))
      expect([status, body]).toEqual([401, { error: expect.any(String) }])
    })

    it('is refused for an address that owns no account, or has not signed', async () => {
      const stranger = Wallet.createRandom()
      expect((await verify(wallets, await signedIn({}, stranger as never))).status).toBe(401)
      const forged = await signedIn({ address: custodian.address }, stranger as never)
      expect((await verify(wallets, forged)).status).toBe(401)
      expect((await verify(wallets, { ...(await signedIn()), nonce: 'other' })).status).toBe(401)
    })

    it('is a fault, not a refusal, where the chain has no registry', async () => {
      const empty = await startAnvil(10)
      const lost = await startWallets({ FARCASTER_RPC_URL: empty.url })
      const nonce = await lost.nonce()
      const given = await signedIn({ nonce })
      expect((await verify(lost, given)).status).toBe(500)
      await lost.close()
      await empty.close()
    })

    it('looks up anew at a refresh what the address holds', async () => {
      const token = '0x00000000000000000000000000000000000a11ce'
      const gated = await startWallets({
        FARCASTER_RPC_URL: anvil.url,
        EVM_RPC_URL: anvil.url,
        TOKEN_GATE_ADDRESS: token,
        TOKEN_GATE_MINIMUM: 5n,
      })
      await place(anvil, token, lookupCode)
      await store(anvil, token, hex(custodian), 5n)
      const first = await verify(gated, await signedIn({ nonce: await gated.nonce() }))
      expect(first.body).toMatchObject({ tokenGated: true, accessLevel: 'holder' })
      await store(anvil, token, hex(custodian), 4n)
      const second = await refresh(gated, first.body.sessionToken)
      expect(second.body).toMatchObject({ tokenGated: false, accessLevel: 'basic' })
      expect(decodeJwt(String(second.body.sessionToken))).toMatchObject({ accessLevel: 'basic' })
      await gated.close()
    })
  },
)

describe('quick auth', () => {
  const server = new OAuth2Server(undefined, undefined, {
    endpoints: { jwks: '/.well-known/jwks.json' },
  })
  const address = Wallet.createRandom().address
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

  /** A token as the server makes it, but for what the test changes. */
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

  it('opens one without an address where the token names none, or with the fid as text', async () => {
    const token = await tokenWith({ sub: '7', address: undefined })
    const { body } = await verify(wallets, { token })
    expect(body).toMatchObject({ fid: 7, address: null, tokenGated: false, accessLevel: 'basic' })
  })

  it.each<[string, Record<string, unknown>]>([
    ['another site', { aud: 'evil.example.com' }],
    ['another issuer', { iss: 'https://evil.example.com' }],
    ['a time that is past', { exp: 1 }],
    ['no end', { exp: undefined }],
    ['no account', { sub: undefined }],
    ['an account that is no number', { sub: 'me' }],
    ['account zero', { sub: 0 }],
    ['an address that is none', { address: '0x12' }],
  ])('refuses a token of %s', async (_, claims) => {
    const { status, body } = await verify(wallets, { token: await tokenWith(claims) })
    expect([status, body]).toEqual([401, { error: 'Invalid token' }])
  })

  it('refuses what the issuer has not signed', async () => {
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

  it('is unavailable while the keys cannot be had', async () => {
    const lost = await startWallets({ FARCASTER_AUTH_ISSUER: 'http://127.0.0.1:1' })
    const { status, body } = await verify(lost, { token: await tokenWith() })
    expect([status, body.error]).toEqual([503, expect.stringMatching(/cannot be had/)])
    await lost.close()
  })

  it('is unavailable where the issuer answers no keys', async () => {
    const nowhere = await startWallets({ FARCASTER_AUTH_ISSUER: `${issuer}/nowhere` })
    expect((await verify(nowhere, { token: await tokenWith() })).status).toBe(503)
    await nowhere.close()
  })

  describe('refresh', () => {
    const opened = async () => (await verify(wallets, { token: await tokenWith() })).body

    it('exchanges a token that holds for one that lasts longer', async () => {
      const first = await opened()
      const began = Date.now()
      vi.useFakeTimers({ now: began + 3_590_000, toFake: ['Date'] })
      const { status, body } = await refresh(wallets, first.sessionToken)
      vi.useRealTimers()
      expect([status, body]).toEqual([200, { ...first, sessionToken: expect.any(String) }])
      const exp = (token: unknown) => Number(decodeJwt(String(token)).exp)
      expect(exp(body.sessionToken) - exp(first.sessionToken)).toBeGreaterThanOrEqual(3_589)
    })

    it('refuses one that has expired', async () => {
      const { sessionToken } = await opened()
      vi.useFakeTimers({ now: Date.now() + 3_601_000, toFake: ['Date'] })
      const { status } = await refresh(wallets, sessionToken)
      vi.useRealTimers()
      expect(status).toBe(401)
    })

    it('asks for another proof after thirty days, however often it was refreshed', async () => {
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

    it('refuses tokens that are not ours', async () => {
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

describe('what is not configured', () => {
  it.each([
    [{ token: 'x' }, 'FARCASTER_AUTH_ISSUER'],
    [{ message: 'x', signature: '0x', nonce: 'x' }, 'FARCASTER_RPC_URL'],
  ])('is named', async (body, missing) => {
    const wallets = await startWallets()
    const answer = await verify(wallets, body)
    expect([answer.status, answer.body]).toEqual([
      503,
      { error: expect.stringMatching(/is not configured/), missing: [missing] },
    ])
    await wallets.close()
  })

  it('is named for session tokens too', async () => {
    const wallets = await startWallets({ WALLET_ENCRYPTION_KEY: undefined })
    for (const answer of [await verify(wallets, { token: 'x' }), await refresh(wallets, 'x')])
      expect([answer.status, answer.body.missing]).toEqual([503, ['WALLET_ENCRYPTION_KEY']])
    await wallets.close()
  })

  it('is told by GET, which says how to ask', async () => {
    const wallets = await startWallets({ FARCASTER_AUTH_ISSUER: 'http://127.0.0.1:1' })
    expect((await wallets.call('GET', path)).body).toEqual({
      endpoint: path,
      method: 'POST',
      description: expect.any(String),
      accepts: [
        { fields: ['message', 'signature', 'nonce'], configured: false },
        { fields: ['token'], configured: true },
      ],
    })
    expect((await wallets.call('GET', refreshPath)).body).toMatchObject({
      endpoint: refreshPath,
      accepts: [{ fields: ['sessionToken'], configured: true }],
    })
    await wallets.close()
  })
})

describe('bad input', () => {
  it.each([
    [path, {}],
    [path, { token: '' }],
    [path, { token: 7 }],
    [path, { token: 'x'.repeat(5_000) }],
    [path, { message: 'x', signature: '0x' }],
    [path, { message: 'x', nonce: 'x' }],
    [refreshPath, {}],
    [refreshPath, { sessionToken: [] }],
  ])('%s answers %j with 400', async (endpoint, body) => {
    const wallets = await startWallets()
    const answer = await wallets.call('POST', endpoint, body)
    expect([answer.status, answer.body]).toEqual([400, { error: expect.stringMatching(/oken/) }])
    await wallets.close()
  })
})

const hex = (wallet: { address: string }) => wallet.address as `0x${string}`
const about = (fid: number) => `farcaster://fid/${fid}`
/** As the registry keeps a key: its state in the low byte, then its type. */
const keyData = (type: number, state: number) => BigInt((type << 8) + state)
