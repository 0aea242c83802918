import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { recordCompletion } from '../support/ai/recorded-completions.ts'
import { sharedTable } from '../support/stack/platform.ts'
import { closeBrowser, visit } from './support/browser.ts'
import { type ConsolePage, pagesInside } from './support/pages.ts'
import { runningAgentOf, signIn, subscribed } from './support/people.ts'

afterAll(closeBrowser)

/** Enough for a busy machine. */
const wait = { timeout: 60_000 }

const tryAgain = (page: Page) => page.getByRole('button', { name: 'Try again' })

describe('a failing platform', () => {
  /** Makes all routes except the session's fail, with errors of the platform or of a proxy in front of it. */
  async function failing(context: BrowserContext) {
    const state = { fails: true, count: 0 }
    await context.route(/\/(?:api|oauth)\//, async (route) => {
      const { pathname } = new URL(route.request().url())
      if (!state.fails || pathname === '/api/auth/session') return route.continue()
      const isOwn = state.count++ % 2 === 0
      await route.fulfill({
        status: isOwn ? 500 : 503,
        headers: { 'x-should-retry': 'false' },
        contentType: isOwn ? 'application/json' : 'text/html',
        body: isOwn ? '{"error":"Internal server error"}' : '<h1>Service Unavailable</h1>',
      })
    })
    return state
  }

  async function recovers(
    page: Page,
    state: { fails: boolean; count: number },
    path: string,
    shows: string,
  ) {
    state.fails = true
    await page.goto(path)
    const offers = async () => ({ path, retry: (await tryAgain(page).count()) > 0 })
    await expect.poll(offers, wait).toEqual({ path, retry: true })
    const reports = await page.getByRole('alert').allInnerTexts()
    expect({ path, told: reports.filter((each) => !each.includes('could not answer')) }).toEqual({
      path,
      told: [],
    })
    // A second failure shows the error again.
    const { count } = state
    await tryAgain(page).first().click()
    await expect.poll(() => state.count, wait).toBeGreaterThan(count)
    await expect.poll(() => tryAgain(page).first().getAttribute('data-busy'), wait).toBe('false')
    state.fails = false
    // If the whole page failed, its parts load after it. A page that polls may be faster than the button.
    await tryAgain(page).evaluateAll(([first]) => first?.click())
    await page.getByText(shows).first().waitFor()
    await expect.poll(() => tryAgain(page).count(), wait).toBe(0)
  }

  test('is reported on every page in words, with a button to retry', async () => {
    const { page, context } = await visit()
    const { id: userId } = await subscribed(context)
    const id = await runningAgentOf(context, 'Rhythm')
    await recordCompletion(sharedTable(), { userId, agentId: id })
    const state = await failing(context)
    const pages: readonly Omit<ConsolePage, 'h1'>[] = [
      { path: '/welcome', shows: 'Name your first agent' },
      ...pagesInside(id, 'Rhythm'),
    ]
    for (const { path, shows, failing } of pages)
      await recovers(page, state, failing?.path ?? path, failing?.shows ?? shows)
    expect(state.count).toBeGreaterThan(2 * pages.length)
    // Each page fails twice.
  }, 300_000)

  /**
   * Holds the next request for the webhook endpoints, and fails it once the test releases it. Later requests succeed.
   */
  async function holdNext(page: Page) {
    const { promise, resolve: letGo } = Promise.withResolvers<void>()
    const reservation = { count: 0, letGo }
    await page.route('**/api/webhook-endpoints', async (route) => {
      if (reservation.count++ > 0) return route.continue()
      await promise
      await route.fulfill({ status: 500, headers: { 'x-should-retry': 'false' }, json: {} })
    })
    return reservation
  }

  test('is retried also for a part that had not failed yet at the click', async () => {
    const { page, context } = await visit()
    await subscribed(context)
    const state = await failing(context)
    await page.goto('/keys')
    await expect.poll(() => tryAgain(page).count(), wait).toBe(3)
    const reservation = await holdNext(page)
    await tryAgain(page).first().click()
    await expect.poll(() => reservation.count, wait).toBe(1)
    await expect.poll(() => tryAgain(page).first().getAttribute('data-busy'), wait).toBe('false')
    state.fails = false
    await tryAgain(page).first().click()
    await page.getByText('No keys yet').waitFor()
    reservation.letGo()
    await expect.poll(() => tryAgain(page).count(), wait).toBe(0)
    expect(reservation.count).toBe(2)
  })

  test('is retried also for a part that is still loading for the first time', async () => {
    const { page, context } = await visit()
    await subscribed(context)
    const state = await failing(context)
    const reservation = await holdNext(page)
    await page.goto('/keys')
    await tryAgain(page).first().waitFor()
    state.fails = false
    await tryAgain(page).first().click()
    await page.getByText('No keys yet').waitFor()
    expect(reservation.count).toBe(1)
    reservation.letGo()
    await expect.poll(() => reservation.count, wait).toBe(2)
    await expect.poll(() => tryAgain(page).count(), wait).toBe(0)
  })
})

test.each([
  { asks: '/api/agents/provision', path: () => '/agents/new', name: 'Name', send: 'Create agent' },
  { asks: '/api/keys', path: () => '/keys', opens: 'New key', name: 'Name', send: 'Create key' },
  {
    asks: '/api/memory',
    path: (id: string) => `/agents/${id}/workspace`,
    name: 'Note name',
    also: 'Note',
    send: 'Add note',
  },
])(
  'a rejected request to $asks is reported, keeps its input, and succeeds by the same button',
  async (form) => {
    const { page, context } = await visit()
    await subscribed(context)
    const id = await runningAgentOf(context, 'Rhythm')
    await page.goto(form.path(id))
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const field = (name: string) => page.getByRole('textbox', { name, exact: true })
    if (form.opens !== undefined) await button(form.opens).click()
    let sent = 0
    await page.route(`**${form.asks}`, (route) =>
      route.request().method() === 'POST' && sent++ === 0
        ? route.fulfill({
            status: 500,
            headers: { 'x-should-retry': 'false' },
            json: { error: 'Internal server error' },
          })
        : route.continue(),
    )
    await field(form.name).fill('Blues')
    if (form.also !== undefined) await field(form.also).fill('Slow and low.')
    await button(form.send).click()
    await page.getByRole('alert').getByText('could not answer').waitFor()
    expect(await field(form.name).inputValue()).toBe('Blues')
    await button(form.send).click()
    await expect.poll(() => page.getByRole('alert').count(), wait).toBe(0)
    await page.getByText('Blues').first().waitFor()
    expect(sent).toBe(2)
  },
)

test('a button that is clicked twice works once', async () => {
  const { page, context } = await visit()
  await subscribed(context)
  await page.goto('/keys')
  await page.getByRole('button', { name: 'New key', exact: true }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Blues')
  const create = page.getByRole('button', { name: 'Create key', exact: true })
  await create.evaluateAll(([button]) => {
    button?.click()
    button?.click()
  })
  await page.getByRole('region', { name: 'The new key' }).waitFor()
  const keys = await context.request.get('/api/keys')
  expect(await keys.json()).toMatchObject({ keys: { length: 1 } })
})

describe('a conversation', () => {
  const message = (page: Page) => page.getByRole('textbox', { name: 'Message' })
  const conversation = (page: Page) => page.getByRole('log', { name: 'Conversation' })
  const answer = (page: Page) => conversation(page).locator('[data-from=agent]').last()
  const words = Array.from({ length: 400 }, (_, i) => `w${i}`)

  async function chat() {
    const visited = await visit()
    const { email } = await subscribed(visited.context)
    const id = await runningAgentOf(visited.context, 'Rhythm')
    await visited.page.goto(`/agents/${id}/chat`)
    await conversation(visited.page).getByText('No messages yet').waitFor()
    return { ...visited, email, id }
  }

  /** Breaks the stream of the next answer after a few words. The stored answer is complete. */
  async function breaking(page: Page, context: BrowserContext) {
    await page.route('**/api/chat', async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      const whole = await context.request.post('/api/chat', {
        data: route.request().postDataJSON(),
      })
      const events = (await whole.text()).split('\n\n')
      await route.fulfill({
        contentType: 'text/event-stream',
        body: `${events.slice(0, 5).join('\n\n')}\n\n`,
      })
    })
  }

  test('continues after the word at which its connection was interrupted', async () => {
    const { page, context } = await chat()
    await breaking(page, context)
    await message(page).fill(words.join(' '))
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Copy answer' }).waitFor()
    const came = [...(await answer(page).innerText()).matchAll(/\bw\d+\b/g)].map(([word]) => word)
    expect(came).toEqual(words)
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  test('a conversation without a connection shows its text, and is retried by a button', async () => {
    const { page, context } = await chat()
    await breaking(page, context)
    await page.route('**/api/chat/turns/*/stream', (route) =>
      route.fulfill({
        status: 503,
        json: { error: 'The agent is gone', code: 'AGENT_UNREACHABLE' },
      }),
    )
    await message(page).fill('Hello')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Retry' }).waitFor()
    await page.getByRole('alert').waitFor()
    await page.unroute('**/api/chat')
    await page.unroute('**/api/chat/turns/*/stream')
    await page.getByRole('button', { name: 'Retry' }).click()
    await expect.poll(() => answer(page).innerText(), wait).toContain('You said: Hello')
    await expect.poll(() => page.getByRole('alert').count(), wait).toBe(0)
  })

  test('keeps its text when the session ends', async () => {
    const { page, context, email, id } = await chat()
    await message(page).fill('What is two and two?')
    await context.clearCookies()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/login?next=*')
    await signIn(page, email)
    await page.waitForURL(`**/agents/${id}/chat`)
    // The text is back in its field or, if the request may have arrived, in the conversation.
    const there = async () =>
      (await message(page).inputValue()) + (await conversation(page).innerText())
    await expect.poll(there, wait).toContain('What is two and two?')
  })

  test('reports that its agent was deleted, in any state', async () => {
    const { page, context, id } = await chat()
    await message(page).fill('Hello')
    await context.request.delete(`/api/agents/${id}`)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor()
    expect(await page.getByRole('textbox').count()).toBe(0)
    for (const tab of [
      '',
      'logs',
      'files',
      'workspace',
      'schedules',
      'policy',
      'payments',
      'settings',
    ]) {
      await page.goto(`/agents/${id}/${tab}`.replace(/\/$/, ''))
      await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor()
    }
  })
})
