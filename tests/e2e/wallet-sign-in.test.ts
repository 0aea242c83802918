import { expect, it } from 'vitest'
import { Platform } from '../../clients/typescript/index.ts'
import { newWallet } from '../support/accounts/new-wallet.ts'
import { compose } from '../support/accounts/wallets.ts'
import { call, stack } from '../support/stack/platform.ts'

const post = (path: string, body: unknown) =>
  call(`${stack().web}${path}`, { method: 'POST', body })

/** Returns a wallet's sign-in request for the stack's own address. */
async function signed(signer: { address: string; signMessage(text: string): Promise<string> }) {
  const { body } = await call(`${stack().web}/api/auth/nonce`)
  const site = `localhost:${new URL(stack().web).port}`
  const message = compose({
    domain: site,
    uri: `http://${site}/login`,
    address: signer.address,
    nonce: String(body.nonce),
  })
  return { address: signer.address, message, signature: await signer.signMessage(message) }
}

it('signs a wallet in to all session routes, and out again', async () => {
  const signer = newWallet()
  const input = await signed(signer)
  const { auth } = new Platform({ baseUrl: stack().web, maxRetries: 0 })
  const { data, response } = await auth.wallet.signIn(input).withResponse()
  const { user } = data
  const cookie = (response.headers.getSetCookie()[0] ?? '').split(';')[0] ?? ''
  const session = () => call(`${stack().web}/api/auth/session`, { headers: { cookie } })
  const email = `${signer.address.toLowerCase()}@wallet.service`
  expect((await session()).body).toEqual({ user: { ...user, email, isAdmin: false } })
  await call(`${stack().web}/api/auth/signout`, { method: 'POST', headers: { cookie } })
  expect((await session()).body).toEqual({ user: null })
  expect((await post('/api/wallet-auth', input)).status).toBe(401)
  const again = await post('/api/wallet-auth', await signed(signer))
  expect(again.body.user).toEqual(user)
})

it('accepts no password for a wallet’s account', async () => {
  const signer = newWallet()
  await post('/api/wallet-auth', await signed(signer))
  const email = `${signer.address.toLowerCase()}@wallet.service`
  const password = 'correct horse battery'
  expect((await post('/api/register', { email, password })).status).toBe(400)
  expect((await post('/api/auth/login', { email, password })).status).toBe(401)
})

it('names the missing settings of every route that reads a chain', async () => {
  const message = { message: 'm', signature: '0x', nonce: 'n' }
  const farcaster = await post('/api/auth/farcaster/verify', message)
  expect([farcaster.status, farcaster.body.missing]).toEqual([503, ['FARCASTER_RPC_URL']])
  const gate = await post('/api/auth/token-gating/verify', { ...message, address: '0x' })
  expect([gate.status, gate.body.missing]).toEqual([503, ['EVM_RPC_URL']])
})
