import type { Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { findings } from './support/axe.ts'
import { closeBrowser, visit } from './support/browser.ts'
import { runningAgentOf, subscribed } from './support/people.ts'

afterAll(closeBrowser)

/** Enough for a busy machine. */
const wait = { timeout: 60_000 }

const log = (page: Page) => page.getByRole('log', { name: 'Conversation' })
const answers = (page: Page) => log(page).locator('[data-from=agent]')

/** Opens an agent's own page by a link from the platform. */
async function opened(name: string, window: Parameters<typeof visit>[0] = {}) {
  const allowed: string[] = []
  const visited = await visit(window, allowed)
  const { context, page } = visited
  await subscribed(context)
  const id = await runningAgentOf(context, name)
  const answer = await context.request.post(`/api/agents/${id}/ticket`)
  const { url } = (await answer.json()) as { url: string }
  allowed.push(new URL(url).origin)
  const shown = await page.goto(url)
  await page.getByRole('heading', { level: 1, name }).waitFor()
  return { ...visited, origin: new URL(url).origin, shown }
}

async function say(page: Page, text: string) {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.keyboard.press('Enter')
}

describe.each([
  { width: 1280, colours: 'light' },
  { width: 390, colours: 'dark' },
] as const)('an agent’s own page, $width wide and $colours', (window) => {
  test('fits, passes the accessibility checks, and shows names and answers as text', async () => {
    const hostile = '<img src=x onerror=alert(1)> “Ada” & ' + 'long'.repeat(12)
    const { page, shown } = await opened(hostile, window)
    expect(await page.title()).toBe(hostile)
    await page.getByText('No messages yet').waitFor()
    expect(await findings(page)).toEqual([])
    const policy = shown?.headers()['content-security-policy'] ?? ''
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-/)

    await say(
      page,
      '**bold** <img src=x onerror=alert(1)> [bad](javascript:alert(1)) ![p](https://x.example/p)',
    )
    const answer = answers(page).first()
    await answer.locator('strong').getByText('bold').waitFor()
    await page.getByRole('button', { name: 'Copy answer' }).waitFor()
    expect(await answer.innerText()).toContain('<img src=x onerror=alert(1)>')
    expect(await answer.locator('img').count()).toBe(0)
    const links = await answer.locator('a').evaluateAll((all) => all.map(String))
    expect(links).toEqual(['https://x.example/p'])
    expect(await findings(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)
  })
})

test('the browser warns before leaving a page with an unfinished answer', async () => {
  const { page } = await opened('Rhythm')
  // An answer of one minute: four milliseconds per word.
  await say(page, `w0 ${'x '.repeat(15_000)}`)
  await expect
    .poll(() => answers(page).allInnerTexts(), wait)
    .toEqual([expect.stringMatching(/w0/)])
  const pending = new Promise<string>((resolve) => {
    page.once('dialog', (dialog) => {
      resolve(dialog.type())
      void dialog.dismiss()
    })
  })
  await page.evaluate('setTimeout(() => location.reload())')
  expect(await pending).toBe('beforeunload')
  // The page that stays open gets the rest, until its user stops it.
  await page.getByRole('button', { name: 'Stop answering' }).click()
  await page.getByText('Stopped').waitFor()
  await page.reload()
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
})

test('a stopped answer keeps its text, even after a reload', async () => {
  const { page } = await opened('Rhythm')
  await say(page, Array.from({ length: 2500 }, (_, i) => `w${i}`).join(' '))
  await expect
    .poll(() => answers(page).allInnerTexts(), wait)
    .toEqual([expect.stringMatching(/w0/)])
  await page.getByRole('button', { name: 'Stop answering' }).click()
  await page.getByText('Stopped').waitFor()
  const came = (await answers(page).innerText()).trim()
  expect(came).not.toBe('')
  expect(came).not.toContain('w2499')
  // The agent notices the stop a moment later than the page.
  await expect
    .poll(async () => {
      await page.reload()
      await page.getByRole('textbox', { name: 'Message' }).waitFor()
      return answers(page).count()
    }, wait)
    .toBe(1)
  expect(await answers(page).innerText()).not.toContain('w2499')
  await say(page, 'And now?')
  await expect.poll(() => answers(page).count(), wait).toBe(2)
  await page.getByRole('button', { name: 'Send' }).waitFor()
})

test('a user whose access ended sees the next step, and can retry', async () => {
  const { page, context, origin } = await opened('Rhythm')
  const cookies = await context.cookies(origin)
  await context.clearCookies()
  await say(page, 'Are you there?')
  await page.getByRole('alert').getByText('Open this agent again from the console').waitFor()
  await page.getByText('No answer came.').waitFor()
  await context.addCookies(cookies)
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect.poll(() => answers(page).count(), wait).toBe(1)
  expect(await page.getByRole('alert').count()).toBe(0)
  expect(await log(page).locator('[data-from=user]').count()).toBe(1)
})

test('a message that is written before the conversation has loaded is sent after it', async () => {
  const { page, origin } = await opened('Rhythm')
  await say(page, 'First.')
  await expect.poll(() => answers(page).count(), wait).toBe(1)
  await page.getByRole('button', { name: 'Send' }).waitFor()
  const requested = Promise.withResolvers<void>()
  const isHeld = Promise.withResolvers<void>()
  await page.route(`${origin}/sessions`, async (route) => {
    isHeld.resolve()
    await requested.promise
    await route.continue()
  })
  await page.reload()
  await isHeld.promise
  await say(page, 'Second.')
  await page.getByText('Thinking').waitFor()
  requested.resolve()
  await expect.poll(() => answers(page).count(), wait).toBe(2)
  expect(await log(page).locator('[data-from=user]').allInnerTexts()).toEqual([
    expect.stringContaining('First.'),
    expect.stringContaining('Second.'),
  ])
})

test('a browser without access gets a link to the console, which opens the page', async () => {
  const { page, context, origin } = await opened('Rhythm')
  await context.clearCookies({ name: 'agent-access' })
  const refused = await page.goto(origin)
  expect(refused?.status()).toBe(401)
  expect(await findings(page)).toEqual([])
  await page.getByRole('link', { name: 'Sign in and open it' }).click()
  await page.waitForURL(/\/agents\/agt_/)
  const [own] = await Promise.all([
    context.waitForEvent('page'),
    page.getByRole('button', { name: 'Open agent page' }).click(),
  ])
  await own.getByText('No messages yet').waitFor()
  expect(new URL(own.url()).origin).toBe(origin)
})
