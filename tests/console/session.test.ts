import type { Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { closeBrowser, visit } from './support/browser.ts'
import { agentOf, password, signedUp, signIn, subscribed } from './support/people.ts'

afterAll(closeBrowser)

describe('signing in', () => {
  test.each([
    ['/keys', '/keys'],
    ['//evil.example', '/dashboard'],
    ['https://evil.example/', '/dashboard'],
    ['/\\evil.example', '/dashboard'],
    ['javascript:alert(1)', '/dashboard'],
  ])('redirects to next if it is a local path: %s', async (next, leads) => {
    const { page, context } = await visit()
    const { email } = await signedUp(context)
    await context.clearCookies()
    await page.goto(`/login?next=${encodeURIComponent(next)}`)
    await page.getByRole('textbox', { name: 'Email' }).fill(email)
    await page.getByRole('textbox', { name: 'Password' }).fill(password)
    await page.keyboard.press('Enter')
    await page.waitForURL(`**${leads}`)
    // A user who is already signed in is redirected too.
    await page.goto(`/login?next=${encodeURIComponent(next)}`)
    await page.waitForURL(`**${leads}`)
    expect(new URL(page.url()).pathname).toBe(leads)
  })

  test('redirects a new user to the requested page after the registration', async () => {
    const { page } = await visit()
    await page.goto('/keys')
    await page.waitForURL('**/login?next=%2Fkeys')
    await page.getByRole('link', { name: 'Create an account' }).click()
    await page.waitForURL('**/register?next=%2Fkeys')
    await page.getByRole('textbox', { name: 'Email' }).fill(`new-${crypto.randomUUID()}@b.co`)
    await page.getByRole('textbox', { name: 'Password' }).fill(password)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.waitForURL('**/keys')
    expect(new URL(page.url()).search).toBe('')
  })

  test('reports errors in words, and keeps the input', async () => {
    const { page, context } = await visit()
    const { email } = await signedUp(context)
    await context.clearCookies()
    await page.goto('/')
    await page.waitForURL('**/login?next=%2Fdashboard')
    await page.getByRole('textbox', { name: 'Email' }).fill(email)
    await page.getByRole('textbox', { name: 'Password' }).fill('wrong password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').innerText()).toMatch(/password/i)
    expect(await page.getByRole('textbox', { name: 'Email' }).inputValue()).toBe(email)
    await page.goto('/login?error=VerifyFailed')
    expect(await page.getByRole('alert').innerText()).not.toContain('VerifyFailed')
  })

  test('signing in and out again leaves no page of the user behind the Back button', async () => {
    const { page, context } = await visit()
    await signedUp(context)
    await page.goto('/dashboard')
    await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: 'Account' })
      .click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/login')
    await page.goBack()
    await page.waitForURL('**/login?next=*')
    await expect.poll(() => page.locator('h1').allInnerTexts()).toEqual(['Sign in'])
  })

  test('elsewhere is listed, and can be ended here', async () => {
    const here = await visit()
    const { email } = await signedUp(here.context)
    const elsewhere = await visit()
    const login = await elsewhere.context.request.post('/api/auth/login', {
      data: { email, password },
    })
    expect(login.status()).toBe(200)
    await here.page.goto('/account')
    await here.page.getByText('this device').waitFor()
    await here.page.getByRole('button', { name: 'End', exact: true }).click()
    const dialog = here.page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'End', exact: true }).click()
    await expect
      .poll(() => here.page.getByRole('button', { name: 'End', exact: true }).count())
      .toBe(0)
    const after = await elsewhere.context.request.get('/api/auth/session')
    expect(await after.json()).toEqual({ user: null })
  })

  test('is required again once the session has ended elsewhere', async () => {
    const { page, context } = await visit()
    await signedUp(context)
    await page.goto('/dashboard')
    await page.getByRole('link', { name: 'Choose a plan' }).waitFor()
    await context.clearCookies()
    // The page notices at its next poll.
    await page.waitForURL('**/login?next=%2Fdashboard')
    await expect.poll(() => page.locator('h1').allInnerTexts()).toEqual(['Sign in'])
  })
})

describe('unsent text', () => {
  const message = (page: Page) => page.getByRole('textbox', { name: 'Message' })

  async function writing() {
    const { page, context } = await visit()
    const { email } = await subscribed(context)
    const chat = `/agents/${await agentOf(context, 'Rhythm')}/chat`
    await page.goto(chat)
    await message(page).fill('a secret of mine')
    await page.reload()
    await expect.poll(() => message(page).inputValue()).toBe('a secret of mine')
    return { page, context, email, chat }
  }

  test('is deleted by a sign-out', async () => {
    const { page, email, chat } = await writing()
    await page.goto('/account')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/login')
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('secret')
    await page.goto(chat)
    await signIn(page, email)
    await message(page).waitFor()
    expect(await message(page).inputValue()).toBe('')
  })

  test('is kept if the session ended by itself', async () => {
    const { page, context, email, chat } = await writing()
    await context.clearCookies()
    await page.waitForURL('**/login?next=*')
    await signIn(page, email)
    await page.waitForURL(`**${chat}`)
    await expect.poll(() => message(page).inputValue()).toBe('a secret of mine')
  })
})

describe('an agent’s page', () => {
  test('switches its tabs by arrow keys, each a step of the history', async () => {
    const { page, context } = await visit()
    await subscribed(context)
    const id = await agentOf(context, 'Rhythm')
    await page.goto(`/agents/${id}`)
    const tab = (name: string) => page.getByRole('tab', { name })
    await tab('Overview').focus()
    await page.keyboard.press('ArrowRight')
    await page.waitForURL(`**/agents/${id}/chat`)
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Chat')
    await page.keyboard.press('End')
    await page.waitForURL(`**/agents/${id}/settings`)
    await page.goBack()
    await page.waitForURL(`**/agents/${id}/chat`)
    await page.goBack()
    await page.waitForURL(`**/agents/${id}`)
    await expect.poll(() => tab('Overview').getAttribute('aria-selected')).toBe('true')
  })

  test('stops and starts it, and shows its log', async () => {
    const { page, context } = await visit()
    await subscribed(context)
    const id = await agentOf(context, 'Rhythm')
    await page.goto(`/agents/${id}/logs`)
    const state = page.locator('.state')
    await expect.poll(() => state.innerText(), { timeout: 60_000 }).toBe('running')
    const log = page.getByRole('log', { name: 'Log' })
    await expect.poll(() => log.locator('div').count(), { timeout: 60_000 }).toBeGreaterThan(0)
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('button', { name: 'Follow' }).click()
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download' }).click()
    expect((await downloading).suggestedFilename()).toBe('Rhythm.log')
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click()
    await expect.poll(() => state.innerText(), { timeout: 60_000 }).toBe('stopped')
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await expect.poll(() => state.innerText(), { timeout: 60_000 }).toBe('running')
  })
})

test('a key is shown once, and revoked by its button', async () => {
  const { page, context } = await visit()
  await signedUp(context)
  await page.goto('/keys')
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('<b>Laptop</b>')
  await page.getByRole('button', { name: 'Create key' }).click()
  const key = await page.getByRole('textbox', { name: 'Your new key' }).inputValue()
  expect(key).toMatch(/^sk_[0-9a-f]{64}$/)
  const item = page.getByRole('listitem').filter({ hasText: '<b>Laptop</b>' })
  await item.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('heading', { name: 'No keys yet' }).waitFor()
  await page.goto('/keys')
  await page.getByRole('heading', { name: 'No keys yet' }).waitFor()
  expect(await page.getByRole('textbox', { name: 'Your new key' }).count()).toBe(0)
})

test('a wrong current password is reported, and does not end the session', async () => {
  const { page, context } = await visit()
  await signedUp(context)
  await page.goto('/account')
  await page.getByRole('textbox', { name: 'Current password' }).fill('not my password')
  await page.getByRole('textbox', { name: 'New password' }).fill('another long password')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('The current password is wrong.').waitFor()
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Account')
  await page.getByRole('textbox', { name: 'Current password' }).fill(password)
  await page.keyboard.press('Enter')
  await page.getByText('Password changed.').waitFor()
})
