import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newWallet } from '#tests/support/accounts/new-wallet.ts'
import { proof, startWallets, type Wallets } from '#tests/support/accounts/wallets.ts'
import { type Anvil, noAnvil, startAnvil } from '#tests/support/chains/anvil.ts'
import { lookupCode, place, store } from '#tests/support/chains/contracts.ts'

const path = '/api/auth/token-gating/verify'
const house = '0x00000000000000000000000000000000000a11ce'
const other = '0x000000000000000000000000000000000000b0B0'

const verify = (wallets: Wallets, body: unknown) => wallets.call('POST', path, body)

describe.skipIf(noAnvil)(
  `token gating${noAnvil === undefined ? '' : ` (skipped: ${noAnvil})`}`,
  () => {
    const holder = newWallet()
    let anvil: Anvil
    let wallets: Wallets

    beforeAll(async () => {
      anvil = await startAnvil(8453)
      await place(anvil, house, lookupCode)
      await place(anvil, other, lookupCode)
      await store(anvil, house, holder.address as `0x${string}`, 2n ** 200n)
      wallets = await startWallets({
        EVM_RPC_URL: anvil.url,
        TOKEN_GATE_ADDRESS: house,
        TOKEN_GATE_MINIMUM: 2n ** 200n,
      })
    })
    afterAll(async () => {
      await wallets.close()
      await anvil.close()
    })

    it('admits holders of enough of the platform’s token', async () => {
      const { status, body } = await verify(wallets, await proof(wallets, {}, holder))
      expect([status, body]).toEqual([
        200,
        {
          success: true,
          tokenGated: true,
          accessLevel: 'holder',
          address: holder.address,
          tokenAddress: house,
          balance: String(2n ** 200n),
          minimumBalance: String(2n ** 200n),
          chainId: 8453,
        },
      ])
    })

    it('rejects holders of too little, even if they request a lower minimum', async () => {
      const poor = newWallet()
      await store(anvil, house, poor.address as `0x${string}`, 2n ** 200n - 1n)
      const { status, body } = await verify(wallets, {
        ...(await proof(wallets, {}, poor)),
        minimumBalance: '1',
      })
      expect([status, body]).toEqual([
        403,
        {
          error: 'The address does not hold enough of the token',
          success: false,
          tokenGated: false,
          accessLevel: 'basic',
          address: poor.address,
          tokenAddress: house,
          balance: String(2n ** 200n - 1n),
          minimumBalance: String(2n ** 200n),
          chainId: 8453,
        },
      ])
    })

    it('checks another token if the request names one, and returns it', async () => {
      const signer = newWallet()
      const ask = async (more: object) =>
        verify(wallets, { ...(await proof(wallets, {}, signer)), tokenAddress: other, ...more })
      expect((await ask({})).status).toBe(403)
      await store(anvil, other, signer.address as `0x${string}`, 3n)
      const open = await ask({ minimumBalance: '3' })
      expect([open.status, open.body]).toMatchObject([200, { tokenAddress: other, balance: '3' }])
      expect((await ask({ minimumBalance: '4' })).status).toBe(403)
    })

    it('returns 400 for an address without a token contract', async () => {
      const input = await proof(wallets, {}, holder)
      const { status, body } = await verify(wallets, { ...input, tokenAddress: holder.address })
      expect([status, body]).toEqual([400, { error: 'tokenAddress is not a token of this chain' }])
    })

    it('rejects a holder’s address without the holder’s signature', async () => {
      const thief = newWallet()
      const forged = await proof(wallets, { address: holder.address }, thief)
      expect((await verify(wallets, forged)).status).toBe(401)
      const own = await proof(wallets, {}, thief)
      expect((await verify(wallets, { ...own, address: holder.address })).status).toBe(401)
    })

    it('accepts a message once, here or at sign-in', async () => {
      const input = await proof(wallets, {}, holder)
      expect((await verify(wallets, input)).status).toBe(200)
      expect((await verify(wallets, input)).status).toBe(401)
      expect((await wallets.call('POST', '/api/wallet-auth', input)).status).toBe(401)
    })

    it.each([
      [{ tokenAddress: '0x12' }, /tokenAddress/],
      [{ tokenAddress: 'me' }, /tokenAddress/],
      [{ minimumBalance: '-1' }, /minimumBalance/],
      [{ minimumBalance: '1e3' }, /minimumBalance/],
      [{ minimumBalance: '0' }, /minimumBalance/],
      [{ minimumBalance: '9'.repeat(500) }, /minimumBalance/],
      [{ signature: undefined }, /signature required/],
    ])('returns 400 for %j', async (wrong, message) => {
      const input = await proof(wallets, {}, holder)
      const { status, body } = await verify(wallets, { ...input, ...wrong })
      expect([status, body.error]).toEqual([400, expect.stringMatching(message)])
    })
  },
)

describe('a missing setting', () => {
  it('is named before any other check', async () => {
    const wallets = await startWallets({ TOKEN_GATE_ADDRESS: house })
    const input = await proof(wallets)
    const answer = await verify(wallets, input)
    expect([answer.status, answer.body]).toEqual([
      503,
      { error: 'Token gating is not configured', missing: ['EVM_RPC_URL'] },
    ])
    expect((await wallets.call('POST', '/api/wallet-auth', input)).status).toBe(200)
    await wallets.close()
  })

  it('may be only the token', async () => {
    const wallets = await startWallets({ EVM_RPC_URL: 'http://127.0.0.1:1' })
    const { status, body } = await verify(wallets, await proof(wallets))
    expect([status, body.missing]).toEqual([503, ['TOKEN_GATE_ADDRESS']])
    expect((await wallets.call('GET', path)).body).toMatchObject({
      endpoint: path,
      method: 'POST',
      accepts: [{ configured: false }, { configured: true }],
    })
    await wallets.close()
  })
})
