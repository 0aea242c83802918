import { expect, it, onTestFinished, vi } from 'vitest'
import { newNonce } from '#shared/accounts/wallet-sign-in/nonce.ts'
import { createApp } from '#shared/http/app.ts'
import { password, startAccounts } from '#tests/support/accounts/accounts.ts'
import { newWallet } from '#tests/support/accounts/new-wallet.ts'
import { compose } from '#tests/support/accounts/wallets.ts'
import { routes, walletServices } from '../wallet.ts'

const WEB_URL = 'https://app.example.com'

it('one address creates sixty accounts a minute over all routes, and a robot cannot create any', async () => {
  const accounts = await startAccounts({ limits: 'on' })
  onTestFinished(() => accounts.close())
  const { table } = accounts
  const app = createApp({
    surface: 'web',
    name: 'web-wallet',
    routes,
    services: walletServices(
      { WEB_URL, EVM_CHAIN_ID: 8453, TOKEN_GATE_MINIMUM: 1n } as Parameters<
        typeof walletServices
      >[0],
      table,
    ),
    settings: { WEB_URL },
    table,
  })
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  onTestFinished(() => void vi.useRealTimers())
  const register = (n: number, ip: string) =>
    accounts.call('POST', '/api/register', { body: { email: `a${n}@b.co`, password }, ip })
  const byWallet = async (ip: string, signer = newWallet(), userAgent = 'node') => {
    const message = compose({ address: signer.address, nonce: await newNonce({ table }) })
    const proof = { address: signer.address, message, signature: await signer.signMessage(message) }
    return app.request(
      '/api/wallet-auth',
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': userAgent },
        body: JSON.stringify(proof),
      },
      { requestContext: { http: { sourceIp: ip } } },
    )
  }
  const known = newWallet()
  expect((await byWallet('192.0.2.1', known)).status).toBe(200)
  for (let n = 1; n < 50; n++) expect((await register(n, '192.0.2.1')).status).toBe(200)
  for (let n = 0; n < 10; n++) expect((await byWallet('192.0.2.1')).status).toBe(200)
  const refused = await byWallet('192.0.2.1')
  expect([refused.status, refused.headers.get('ratelimit-limit')]).toEqual([429, '60'])
  expect((await register(50, '192.0.2.1')).status).toBe(429)
  // Existing accounts and other addresses are not limited.
  expect((await byWallet('192.0.2.1', known, 'Googlebot/2.1')).status).toBe(200)
  expect((await byWallet('192.0.2.2')).status).toBe(200)
  expect((await byWallet('192.0.2.2', undefined, 'Googlebot/2.1')).status).toBe(403)
})
