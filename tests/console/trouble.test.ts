import type { Locator, Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { recordCompletion } from '../support/ai/recorded-completions.ts'
import { sharedTable } from '../support/stack/platform.ts'
import { closeBrowser, visit } from './support/browser.ts'
import { agentOf, runningAgentOf, signedUp, signIn, subscribed } from './support/people.ts'

afterAll(closeBrowser)

/** Enough for a busy machine. */
const wait = { timeout: 60_000 }

const tryAgain = (page: Page) => page.getByRole('button', { name: 'Try again' })

/** Presses a button if it exists: the page may already have noticed that the session has ended. */
async function press(button: Locator) {
  await button.evaluateAll((found) => found.forEach((each) => each.click()))
}

test('a session that ends while a user types loses only passwords', async () => {
  const { page, context } = await visit()
  const { email } = await subscribed(context)
  const settings = `/agents/${await agentOf(context, 'Rhythm')}/settings`
  const prompt = () => page.getByRole('textbox', { name: 'System prompt' })
  await page.goto(settings)
  await prompt().fill('Be brief.\nBe kind.')
  await context.clearCookies()
  await press(page.getByRole('button', { name: 'Save', exact: true }))
  await page.waitForURL('**/login?next=*')
  await signIn(page, email)
  await page.waitForURL(`**${settings}`)
  await expect.poll(() => prompt().inputValue(), wait).toBe('Be brief.\nBe kind.')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved.').waitFor()

  await page.goto('/keys')
  await page.getByRole('button', { name: 'New key' }).first().click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Laptop')
  await page.getByRole('combobox', { name: 'Expires' }).selectOption('30')
  const scope = page.getByRole('group', { name: 'Permissions' }).getByRole('checkbox').last()
  await scope.click()
  const chosen = await scope.isChecked()
  await context.clearCookies()
  await press(page.getByRole('button', { name: 'Create key' }))
  await page.waitForURL('**/login?next=%2Fkeys')
  await signIn(page, email)
  await page.getByRole('button', { name: 'New key' }).first().click()
  await expect
    .poll(() => page.getByRole('textbox', { name: 'Name' }).inputValue(), wait)
    .toBe('Laptop')
  expect(await page.getByRole('combobox', { name: 'Expires' }).inputValue()).toBe('30')
  expect(await scope.isChecked()).toBe(chosen)

  await page.goto('/account')
  await page.getByRole('textbox', { name: 'Current password' }).fill('a secret of mine')
  await page.getByRole('textbox', { name: 'Name' }).fill('Grace')
  await context.clearCookies()
  await press(page.getByRole('button', { name: 'Save' }))
  await page.waitForURL('**/login?next=%2Faccount')
  const kept = () => page.evaluate('JSON.stringify(sessionStorage)')
  expect(await kept()).toContain('Grace')
  expect(await kept()).not.toContain('a secret of mine')
  // Another user at the same tab sees nothing of this session.
  const other = await signedUp(context, 'Eve')
  await context.clearCookies()
  await signIn(page, other.email)
  await page.getByText('this device').waitFor()
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Eve')
  expect(await kept()).not.toContain('Grace')
})

describe('offline', () => {
  test('pages report it, and reload once there is a connection', async () => {
    const { page, context } = await visit()
    await subscribed(context)
    await agentOf(context, 'Rhythm')
    await page.goto('/agents')
    await page.getByRole('link', { name: 'Rhythm' }).waitFor()
    await context.setOffline(true)
    const nav = page.getByRole('navigation', { name: 'Main' })
    await nav.getByRole('link', { name: 'Usage' }).click()
    await page.getByRole('alert').getByText('Check your connection').waitFor()
    await tryAgain(page).click()
    await nav.getByRole('link', { name: 'Overview', exact: true }).click()
    await page.getByRole('alert').getByText('Check your connection').waitFor()
    await context.setOffline(false)
    await page.getByRole('link', { name: 'Rhythm' }).waitFor()
    await expect.poll(() => page.getByRole('alert').count(), wait).toBe(0)
    await nav.getByRole('link', { name: 'Usage' }).click()
    await page.getByText('No usage', { exact: true }).waitFor()
  })

  test('a message waits, and is sent once', async () => {
    const { page, context } = await visit()
    await subscribed(context)
    const id = await runningAgentOf(context, 'Rhythm')
    await page.goto(`/agents/${id}/chat`)
    const log = page.getByRole('log', { name: 'Conversation' })
    await log.getByText('No messages yet').waitFor()
    await context.setOffline(true)
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').first().waitFor()
    await context.setOffline(false)
    const retry = page.getByRole('button', { name: 'Retry' })
    await retry.click()
    await expect
      .poll(() => log.locator('[data-from=agent]').innerText(), wait)
      .toContain('You said: Hello')
    expect(await log.locator('[data-from=user]').count()).toBe(1)
  })
})

test('a user who signs out in one tab is signed out in the other, which sends nothing more', async () => {
  const { page, context } = await visit()
  await subscribed(context)
  const id = await agentOf(context, 'Rhythm')
  const other = await context.newPage()
  await other.goto(`/agents/${id}/settings`)
  await other.getByRole('textbox', { name: 'System prompt' }).fill('Be brief.')
  await page.goto('/account')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL('**/login')
  await other.bringToFront()
  await other.waitForURL('**/login?next=*')
  await other.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  expect(await other.getByRole('textbox', { name: 'System prompt' }).count()).toBe(0)
})

test.each([-1, 1])('a clock that is %i day off changes no time on the pages', async (days) => {
  const { page, context } = await visit()
  const { id: userId } = await subscribed(context)
  const id = await agentOf(context, 'Rhythm')
  await recordCompletion(sharedTable(), { userId, agentId: id })
  await page.clock.setFixedTime(Date.now() + days * 86_400_000)
  await page.goto('/agents')
  await page.getByText(/^created (?:just now|\d minutes? ago)$/).waitFor()
  const today = new Date().toISOString().slice(0, 10)
  await page.goto('/usage')
  await page.getByRole('heading', { name: 'By key' }).waitFor()
  const until = new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  })
  expect(await page.locator('.lead').innerText()).toContain(`to ${until.format(new Date(today))}`)
  await page.goto('/keys')
  await page.getByRole('button', { name: 'New key' }).first().click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Laptop')
  await page.getByRole('combobox', { name: 'Expires' }).selectOption('7')
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByText('expires in 7 days').waitFor()
  // The page polls again: the session lasts as long as the platform says.
  await page.reload()
  await page.getByText('expires in 7 days').waitFor()
})

describe('large amounts', () => {
  test('large amounts of emoji in a name are accepted up to the limit of a name, and fit', async () => {
    const { page, context } = await visit({ width: 390 })
    await subscribed(context)
    await page.goto('/agents/new')
    await page.getByRole('textbox', { name: 'Name' }).fill('🦜'.repeat(100))
    const name = '🦜'.repeat(50)
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe(name)
    await page.getByRole('button', { name: 'Create agent' }).click()
    await page.getByRole('heading', { level: 1, name }).waitFor()
    const fits = 'document.documentElement.scrollWidth <= innerWidth'
    expect(await page.evaluate(fits)).toBe(true)
    await page.goto('/agents')
    await page.getByRole('link', { name }).waitFor()
    expect(await page.evaluate(fits)).toBe(true)
  })

  test('ten thousand list entries are rendered in part, more by a button, and each is found by its name', async () => {
    const { page, context } = await visit()
    await subscribed(context)
    await agentOf(context, 'Rhythm')
    const list = (await (await context.request.get('/api/agents')).json()) as { agents: object[] }
    const agents = Array.from({ length: 10_000 }, (_, i) => ({
      ...list.agents[0],
      id: `agt_${i}`,
      name: `Agent ${i}`,
    }))
    await page.route('**/api/agents', (route) => route.fulfill({ json: { ...list, agents } }))
    await page.goto('/agents')
    const link = (name: string) => page.getByRole('link', { name, exact: true })
    await link('Agent 0').waitFor()
    expect(await link('Agent 100').count()).toBe(0)
    await page.getByRole('button', { name: 'Show more' }).click()
    await link('Agent 199').waitFor()
    await page.getByText('200 of 10,000').waitFor()
    await page.keyboard.press('Control+k')
    const menu = page.getByRole('dialog', { name: 'Command menu' })
    await menu.getByRole('combobox').fill('agent 9999')
    await menu.getByRole('option', { name: 'Agent 9999' }).waitFor()
  })
})
