import type { BrowserContext, Page } from 'playwright-core'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, describe, expect, test } from 'vitest'
import { findings } from './support/axe.ts'
import { closeBrowser, visit } from './support/browser.ts'
import { signedUp } from './support/people.ts'

afterAll(closeBrowser)

/** Adds a browser wallet with one account, which records what it signs. */
async function walletIn(context: BrowserContext) {
  const account = privateKeyToAccount(generatePrivateKey())
  const signed: string[] = []
  await context.exposeFunction('signByWallet', async (hex: `0x${string}`) => {
    signed.push(Buffer.from(hex.slice(2), 'hex').toString())
    return account.signMessage({ message: { raw: hex } })
  })
  await context.addInitScript(`window.ethereum = {
    declines: sessionStorage.getItem('declines') !== null,
    async request({ method, params }) {
      if (method === 'eth_requestAccounts') return ['${account.address.toLowerCase()}']
      if (this.declines) throw Object.assign(new Error('User rejected'), { code: 4001 })
      return window.signByWallet(params[0])
    },
  }`)
  return { address: account.address, signed }
}

const button = (page: Page) => page.getByRole('button', { name: 'Continue with a wallet' })

describe('a wallet', () => {
  test('creates an account with its first signature, and signs in to it with the next', async () => {
    const { page, context } = await visit()
    const { address, signed } = await walletIn(context)
    await page.goto('/register')
    await button(page).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/welcome')
    expect(signed[0]).toContain(`wants you to sign in with your Ethereum account:\n${address}`)
    const user = async () => (await context.request.get('/api/auth/session')).json()
    const made: unknown = await user()
    expect(made).toMatchObject({ user: { name: expect.stringMatching(/^Wallet:0x/) as string } })
    await context.clearCookies()
    await page.goto('/login?next=/keys')
    expect(await findings(page)).toEqual([])
    await button(page).click()
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor()
    expect(await user()).toEqual(made)
  })

  test('the page stays if the holder of a wallet declines', async () => {
    const { page, context } = await visit()
    await walletIn(context)
    await page.goto('/login')
    await button(page).waitFor()
    await page.evaluate('window.ethereum.declines = true')
    await button(page).click()
    expect(await page.getByRole('alert').innerText()).toContain('You rejected the request')
    expect(await (await context.request.get('/api/auth/session')).json()).toEqual({ user: null })
    await page.evaluate('window.ethereum.declines = false')
    await button(page).click()
    await page.waitForURL('**/dashboard')
  })

  test('each of several wallets is offered by its own name, in any order', async () => {
    const { page, context } = await visit()
    const { address, signed } = await walletIn(context)
    await context.addInitScript(`for (const [uuid, name] of [['1', 'Fox <b>&'], ['2', 'Rabbit']]) {
      const wallet = { request: (call) => name === 'Rabbit'
        ? window.ethereum.request(call) : Promise.reject(Object.assign(new Error('no'), { code: 4001 })) }
      const announce = () => dispatchEvent(new CustomEvent('eip6963:announceProvider',
        { detail: Object.freeze({ info: { uuid, name, rdns: 'com.example', icon: '' }, provider: wallet }) }))
      addEventListener('eip6963:requestProvider', announce)
      addEventListener('eip6963:requestProvider', announce)
    }
    addEventListener('eip6963:requestProvider', () =>
      dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: { info: { uuid: '3' } } })))`)
    await page.goto('/login?next=/keys')
    await page.getByRole('button', { name: 'Continue with Rabbit' }).waitFor()
    expect(await page.getByRole('button', { name: /^Continue with/ }).allInnerTexts()).toEqual([
      'Continue with Fox <b>&',
      'Continue with Rabbit',
    ])
    expect(await findings(page)).toEqual([])
    await page.getByRole('button', { name: 'Continue with Fox' }).click()
    expect(await page.getByRole('alert').innerText()).toContain('You rejected the request')
    await page.getByRole('button', { name: 'Continue with Rabbit' }).click()
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor()
    expect(signed[0]).toContain(address)
  })

  test('is called once for two concurrent clicks', async () => {
    const { page, context } = await visit()
    const { signed } = await walletIn(context)
    let nonces = 0
    page.on('request', (request) => (nonces += Number(request.url().includes('/api/auth/nonce'))))
    await page.goto('/login')
    await button(page).waitFor()
    await button(page).evaluate((element: { click(): void }) => {
      element.click()
      element.click()
    })
    await page.waitForURL('**/dashboard')
    expect({ nonces, signed: signed.length }).toEqual({ nonces: 1, signed: 1 })
  })

  test('a wallet that never responds is called again after the user returns with the Back button', async () => {
    const { page, context } = await visit()
    await walletIn(context)
    await page.goto('/login')
    await button(page).waitFor()
    await page.evaluate(`window.ethereum.answering = window.ethereum.request
      window.ethereum.request = () => new Promise(() => { window.isAsked = true })`)
    await button(page).click()
    await expect.poll(() => page.evaluate('window.isAsked === true')).toBe(true)
    expect(await button(page).getAttribute('aria-disabled')).toBe('true')
    // The event of a page that the browser restores from its cache.
    await page.evaluate(`window.ethereum.request = window.ethereum.answering
      dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`)
    await button(page).click()
    await page.waitForURL('**/dashboard')
  })

  test('a wallet that signs for another account is rejected', async () => {
    const { page, context } = await visit()
    await walletIn(context)
    await page.goto('/login')
    await button(page).waitFor()
    await page.evaluate(`window.ethereum.request = async ({ method, params }) =>
      method === 'eth_requestAccounts' ? ['0x${'ab'.repeat(20)}'] : window.signByWallet(params[0])`)
    await button(page).click()
    expect(await page.getByRole('alert').innerText()).toContain('Invalid signature')
    expect(new URL(page.url()).pathname).toBe('/login')
  })
})

test('only configured ways to sign in are offered', async () => {
  const { page } = await visit()
  await page.goto('/login')
  await page.waitForLoadState('networkidle')
  expect(await page.getByText('Continue with').count()).toBe(0)
})

test('providers are offered by the names of their hosts, and an unconfigured one is reported', async () => {
  const { page, context } = await visit()
  await page.route('**/.well-known/oauth-authorization-server', async (route) => {
    const answer = await route.fetch()
    const providers = [
      { name: 'idp', host: 'accounts.example.com', begin: '/api/auth/idp' },
      { name: 'codehost', host: 'code.example.com', begin: '/api/auth/github' },
    ]
    const body = { ...((await answer.json()) as object), sign_in_providers: providers }
    await route.fulfill({ json: body })
  })
  await signedUp(context)
  await context.clearCookies()
  await page.goto('/login?next=%2Fkeys%3Fa%3D1')
  await page.getByRole('link', { name: 'Continue with code.example.com' }).waitFor()
  expect(await findings(page)).toEqual([])
  await page.getByRole('link', { name: 'Continue with accounts.example.com' }).click()
  expect(await page.getByRole('alert').innerText()).toContain('is not configured')
  // A failed sign-in keeps its target.
  expect(new URL(page.url()).searchParams.get('next')).toBe('/keys?a=1')
})
