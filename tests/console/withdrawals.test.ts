import type { BrowserContext, Page, Route } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { sharedTable } from '../support/stack/platform.ts'
import { findings } from './support/axe.ts'
import { closeBrowser } from './support/browser.ts'
import { button, field, openPayments, walletOf } from './support/payments.ts'
import { password, signIn } from './support/people.ts'

afterAll(closeBrowser)

/** Enough for a busy machine. */
const wait = { timeout: 60_000 }

const to = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

const alert = (page: Page) => page.getByRole('alert')

/** Opens the payments of an agent with a wallet. */
async function openWallet(look: Parameters<typeof openPayments>[0] = {}) {
  const opened = await openPayments(look)
  await walletOf(opened.context, opened.id)
  await opened.page.reload()
  await button(opened.page, 'Withdraw').waitFor()
  return opened
}

async function fill(page: Page, amount = '2.5') {
  await field(page, 'To address').fill(to)
  await field(page, 'Amount in USDC').fill(amount)
}

/** Plays the routes of withdrawals of a platform with a chain. */
async function played(context: BrowserContext, agentId: string, answers: readonly string[] = []) {
  const state = { withdrawals: [] as Record<string, unknown>[], keys: [] as string[] }
  await context.route('**/api/wallet/withdrawals*', (route) =>
    route.fulfill({ json: { withdrawals: state.withdrawals } }),
  )
  await context.route('**/api/wallet/withdraw', async (route: Route) => {
    const request = route.request()
    state.keys.push(request.headers()['idempotency-key'] ?? '')
    const answer = answers[state.keys.length - 1]
    if (answer === 'abort') return route.abort()
    if (answer === '500')
      return route.fulfill({ status: 500, headers: { 'x-should-retry': 'false' }, json: {} })
    const { amount } = request.postDataJSON() as { amount: string }
    state.withdrawals = [
      {
        id: 'wdr_1',
        agentId,
        to,
        amount,
        state: 'queued',
        txHash: null,
        reason: null,
        createdAt: new Date().toISOString(),
        completedAt: null,
      },
      { ...state.withdrawals[0], id: 'wdr_0', agentId: 'agt_other' },
    ]
    return route.fulfill({ status: 202, json: { id: 'wdr_1', state: 'queued' } })
  })
  return state
}

test.each([
  { colours: 'light', width: 1280 },
  { colours: 'dark', width: 360 },
] as const)('a wallet is created and shows what it needs ($width wide)', async (look) => {
  const { page, context } = await openPayments(look)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await button(page, 'Create wallet').click()
  const wallet = page.getByRole('region', { name: 'Wallet' })
  const address = await wallet.locator('dd code').innerText()
  expect(address).toMatch(/^0x[0-9a-fA-F]{40}$/)
  expect(await wallet.innerText()).toMatch(
    /unknown: the chain does not answer[\s\S]*Base[\s\S]*send USDC on Base to this address/,
  )
  await button(page, 'Copy address').click()
  await wallet.getByText('Copied').waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(address)
  expect(await findings(page)).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)
  await page.route('**/api/wallet', async (route) => {
    const answer = await route.fetch()
    const { wallets } = (await answer.json()) as { wallets: object[] }
    const more = { balance_usdc: 1234.5, chain_id: 31_337 }
    await route.fulfill({ json: { wallets: [{ ...wallets[0], ...more }] } })
  })
  await page.reload()
  await wallet.getByText('1,234.5 USDC').waitFor()
  await wallet.getByText('chain 31337', { exact: true }).waitFor()
})

test('invalid input, a wrong password and a missing chain are reported beside their fields', async () => {
  const { page } = await openWallet()
  const focused = () => page.evaluate('document.activeElement.name')
  await button(page, 'Withdraw').click()
  await alert(page).getByText('To address must be 0x and 40 hex digits').waitFor()
  expect(await focused()).toBe('to')
  await fill(page, '0')
  await button(page, 'Withdraw').click()
  await alert(page).getByText('Amount in USDC must be above 0').waitFor()
  expect(await focused()).toBe('amount')
  await fill(page)
  await field(page, 'Current password').fill('not my password')
  await page.keyboard.press('Enter')
  await alert(page).getByText('The current password is wrong.').waitFor()
  expect(await focused()).toBe('currentPassword')
  expect(await findings(page)).toEqual([])
  await field(page, 'Current password').fill(password)
  await page.keyboard.press('Enter')
  await alert(page).getByText('The chain is not configured').waitFor()
  expect(await field(page, 'To address').inputValue()).toBe(to)
})

test('a withdrawal is followed until it is paid', async () => {
  const { page, context, id } = await openWallet()
  const state = await played(context, id)
  await fill(page)
  await button(page, 'Withdraw').click()
  const status = page.getByRole('status')
  await status.getByText('The withdrawal of 2.5 USDC is waiting.').waitFor()
  expect(await field(page, 'Amount in USDC').inputValue()).toBe('')
  const items = page.getByRole('region', { name: 'Wallet' }).getByRole('listitem')
  expect(await items.count()).toBe(1)
  state.withdrawals[0] = {
    ...state.withdrawals[0],
    state: 'processing',
    reason: 'The wallet needs ETH for gas',
  }
  await status.getByText('is being paid.').waitFor()
  await items.getByText('The wallet needs ETH for gas').waitFor()
  const txHash = `0x${'cd'.repeat(32)}`
  state.withdrawals[0] = { ...state.withdrawals[0], state: 'completed', reason: null, txHash }
  await status.getByText('is paid.').waitFor()
  expect(await items.getByRole('link').getAttribute('href')).toBe(
    `https://basescan.org/tx/${txHash}`,
  )
  expect(await findings(page)).toEqual([])
})

test('a withdrawal without an answer is sent again with the same key, and a changed one with another', async () => {
  const { page, context, id } = await openWallet()
  const state = await played(context, id, ['abort', 'abort', '500', '500'])
  await fill(page)
  await button(page, 'Withdraw').click()
  await alert(page).getByText('it is paid once').waitFor()
  // The client has sent it twice.
  expect(state.keys).toHaveLength(2)
  await button(page, 'Withdraw').click()
  await alert(page).getByText('could not answer').waitFor()
  expect(state.keys).toHaveLength(3)
  expect(new Set(state.keys).size).toBe(1)
  await field(page, 'Amount in USDC').fill('3')
  await button(page, 'Withdraw').click()
  await expect.poll(() => state.keys.length, wait).toBe(4)
  expect(state.keys[3]).not.toBe(state.keys[0])
  await expect.poll(() => button(page, 'Withdraw').getAttribute('data-busy'), wait).toBe('false')
  await button(page, 'Withdraw').click()
  await page.getByRole('status').getByText('The withdrawal of 3 USDC is waiting.').waitFor()
  expect(state.keys[4]).toBe(state.keys[3])
})

test('an old session needs the password or a new sign-in, which keeps the input', async () => {
  const { page, id, person } = await openWallet()
  const pk = `user#${person.id}`
  const { items } = await sharedTable().query({ pk, beginsWith: 'session#' })
  const createdAt = new Date(Date.now() - 16 * 60_000).toISOString()
  for (const { sk } of items) await sharedTable().update({ pk, sk }, { set: { createdAt } })
  await fill(page)
  await button(page, 'Withdraw').click()
  await alert(page).getByText('You signed in more than 15 minutes ago.').waitFor()
  expect(await findings(page)).toEqual([])
  await button(page, 'Sign in again').click()
  await page.waitForURL(`**/login?next=${encodeURIComponent(`/agents/${id}/payments`)}`)
  await signIn(page, person.email)
  await expect.poll(() => field(page, 'To address').inputValue(), wait).toBe(to)
  expect(await field(page, 'Current password').inputValue()).toBe('')
  await button(page, 'Withdraw').click()
  await alert(page).getByText('The chain is not configured').waitFor()
})
