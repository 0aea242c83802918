import { type Wallet } from 'ethers'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { idRegistry, keyRegistry } from '#shared/accounts/farcaster/registries.ts'
import { newWallet } from '#tests/support/accounts/new-wallet.ts'
import { proof, site, startWallets, type Wallets } from '#tests/support/accounts/wallets.ts'
import { type Anvil, noAnvil, startAnvil } from '#tests/support/chains/anvil.ts'
import { keyDataCode, lookupCode, place, store } from '#tests/support/chains/contracts.ts'

const path = '/api/auth/farcaster/verify'
const refreshPath = '/api/auth/farcaster/refresh'

const verify = (wallets: Wallets, body: unknown) => wallets.call('POST', path, body)
const refresh = (wallets: Wallets, sessionToken: unknown) =>
  wallets.call('POST', refreshPath, { sessionToken })

describe.skipIf(noAnvil)(
  `Sign In With Farcaster${noAnvil === undefined ? '' : ` (skipped: ${noAnvil})`}`,
  () => {
    const custodian = newWallet()
    const delegate = newWallet()
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
      const input = await proof(wallets, message, signer)
      return { ...input, nonce: /Nonce: (\w+)/.exec(input.message)?.[1] ?? '' }
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

    it('opens a session for an auth address, if the message declares it', async () => {
      const resources = [about(fid), 'farcaster://signer/type/authAddress']
      const { status, body } = await verify(wallets, await signedIn({ resources }, delegate))
      expect([status, body.fid, body.address]).toEqual([200, fid, delegate.address])
      expect((await verify(wallets, await signedIn({}, delegate))).status).toBe(401)
      expect((await verify(wallets, await signedIn({ resources }))).status).toBe(401)
    })

    it.each([
      ['of another type', keyData(1, 1)],
      ['that was removed', keyData(2, 2)],
    ])('rejects a key %s as an auth address', async (_, data) => {
      const other = newWallet()
      await store(anvil, keyRegistry, BigInt(fid) + BigInt(other.address), data)
      const resources = [about(fid), 'farcaster://signer/type/authAddress']
      expect((await verify(wallets, await signedIn({ resources }, other))).status).toBe(401)
    })

    it('works once', async () => {
      const input = await signedIn()
      const answers = await Promise.all(Array.from({ length: 8 }, () => verify(wallets, input)))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(401)])
    })

    it.each<[string, Parameters<typeof proof>[1], Wallet?]>([
      ['another user’s account', { resources: [about(6842)] }],
      ['no account', { resources: [] }],
      ['two accounts', { resources: [about(fid), about(6842)] }],
      ['account zero', { resources: [about(0)] }],
      ['an oversized account number', { resources: [`farcaster://fid/${'9'.repeat(30)}`] }],
      ['another statement', { statement: 'Buy this' }],
      ['the site’s own chain', { chainId: 8453 }],
      ['another domain', { domain: 'evil.example.com' }],
      ['an expired time', { expirationTime: '2020-01-01T00:00:00Z' }],
    ])('a Farcaster sign-in is rejected with %s', async (_, fields) => {
      const { status, body } = await verify(wallets, await signedIn(fields))
      expect([status, body]).toEqual([401, { error: expect.any(String) }])
    })

    it('a Farcaster sign-in is rejected for an address that owns no account, or has not signed', async () => {
      const stranger = newWallet()
      expect((await verify(wallets, await signedIn({}, stranger as never))).status).toBe(401)
      const forged = await signedIn({ address: custodian.address }, stranger as never)
      expect((await verify(wallets, forged)).status).toBe(401)
      expect((await verify(wallets, { ...(await signedIn()), nonce: 'other' })).status).toBe(401)
    })

    it('returns an internal error, not a rejection, if the chain has no registry', async () => {
      const empty = await startAnvil(10)
      const lost = await startWallets({ FARCASTER_RPC_URL: empty.url })
      const nonce = await lost.nonce()
      const input = await signedIn({ nonce })
      expect((await verify(lost, input)).status).toBe(500)
      await lost.close()
      await empty.close()
    })

    it('checks the address again at a refresh', async () => {
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

describe('a missing setting', () => {
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

  it('is named by GET, which describes the request', async () => {
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

describe('invalid input', () => {
  it.each([
    [path, {}],
    [path, { token: '' }],
    [path, { token: 7 }],
    [path, { token: 'x'.repeat(5_000) }],
    [path, { message: 'x', signature: '0x' }],
    [path, { message: 'x', nonce: 'x' }],
    [refreshPath, {}],
    [refreshPath, { sessionToken: [] }],
  ])('%s returns 400 for %j', async (endpoint, body) => {
    const wallets = await startWallets()
    const answer = await wallets.call('POST', endpoint, body)
    expect([answer.status, answer.body]).toEqual([400, { error: expect.stringMatching(/oken/) }])
    await wallets.close()
  })
})

const hex = (wallet: { address: string }) => wallet.address as `0x${string}`
const about = (fid: number) => `farcaster://fid/${fid}`
/** In the registry's format: the state of a key in the low byte, then its type. */
const keyData = (type: number, state: number) => BigInt((type << 8) + state)
