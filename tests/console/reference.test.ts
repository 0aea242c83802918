import type { Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { findings } from './support/axe.ts'
import { closeBrowser, visit } from './support/browser.ts'
import { password, signedUp } from './support/people.ts'

afterAll(closeBrowser)

async function open(page: Page, at: string, h1: string) {
  await page.goto(at === '' ? '/docs' : `/docs#${at}`)
  await page.getByRole('heading', { level: 1, name: h1 }).waitFor()
}

const windows = [
  { width: 1280, colours: 'light' },
  { width: 1280, colours: 'dark' },
  { width: 390, colours: 'light' },
  { width: 390, colours: 'dark' },
] as const

const places = [
  ['', 'API reference'],
  ['agents.create', 'Create an agent'],
  ['schema-AgentDetail', 'AgentDetail'],
] as const

describe.each(windows)('the API reference, $width wide and $colours', (window) => {
  test('is public, fits, and passes the accessibility checks', async () => {
    const { page } = await visit(window)
    const titles: string[] = []
    for (const [at, h1] of places) {
      await open(page, at, h1)
      expect({ at, found: await findings(page) }).toEqual({ at, found: [] })
      const wider = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
      expect({ at, wider }).toEqual({ at, wider: false })
      expect({ at, scrolled: await page.evaluate('scrollY') }).toEqual({ at, scrolled: 0 })
      titles.push(await page.title())
    }
    expect(titles[1]).toBe('Create an agent · API reference')
    await page.getByRole('searchbox').fill('keys')
    await page.getByRole('link', { name: 'Create an API key' }).waitFor()
    expect(await findings(page)).toEqual([])
  })
})

test('the reference page is operated by the keyboard from a search to an operation and back', async () => {
  const { page } = await visit()
  await open(page, '', 'API reference')
  await page.keyboard.press('/')
  await page.keyboard.type('post api keys create')
  await page.getByRole('status').filter({ hasText: '1 operation' }).waitFor()
  await page.keyboard.press('Enter')
  const h1 = page.getByRole('heading', { level: 1, name: 'Create an API key' })
  await h1.waitFor()
  await expect.poll(() => h1.evaluate((one) => one === one.ownerDocument.activeElement)).toBe(true)
  expect(new URL(page.url()).hash).toBe('#keys.create')
  const current = page.getByRole('link', { name: 'Create an API key' })
  expect(await current.getAttribute('aria-current')).toBe('page')
  await page.goBack()
  await page.getByRole('heading', { level: 1, name: 'API reference' }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await h1.waitFor()
})

test('shows the same request in three languages, each with a copy button', async () => {
  const { page, context } = await visit()
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await open(page, 'agents.get', 'Get an agent')
  const example = page.getByRole('region', { name: 'Example' })
  const copies = async (text: unknown) => {
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    await page.getByText('Copied').waitFor({ state: 'attached' })
    // The confirmation of the last copy may still be visible.
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toEqual(text)
  }
  await copies(expect.stringContaining('curl "$PLATFORM_URL/api/agents/AGENT_ID"'))
  await page.getByRole('radio', { name: 'CLI' }).check()
  expect(await example.innerText()).toBe('agents get AGENT')
  await copies('agents get AGENT')
  await page.getByRole('radio', { name: 'TypeScript' }).check()
  expect(await example.innerText()).toContain("await platform.agents.get('AGENT_ID')")
})

test('reports a missing sign-in, links to it and back, and sends requests as the user', async () => {
  const { page, context } = await visit()
  const hostile = '<img src=x onerror=alert(1)> Ada'
  const { email } = await signedUp(context, hostile)
  await context.clearCookies()
  await open(page, 'keys.create', 'Create an API key')
  const form = page.getByRole('complementary', { name: 'Examples' })
  await form.getByText('You are signed out').waitFor()
  await form.getByRole('button', { name: 'Send' }).click()
  await form.getByText('401', { exact: true }).waitFor()

  await form.getByRole('link', { name: 'Sign in' }).click()
  await page.getByRole('textbox', { name: 'Email' }).fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await form.getByText(`Sent as ${hostile}`).waitFor()
  expect(new URL(page.url()).hash).toBe('#keys.create')

  const body = form.getByRole('textbox', { name: 'Body' })
  await body.fill('{')
  await form.getByRole('button', { name: 'Send' }).click()
  await form.getByRole('alert').getByText('The body is not JSON').waitFor()
  await body.fill('{"name": "<b>from the reference</b>"}')
  const sent = page.waitForRequest((request) => request.method() === 'POST')
  await form.getByRole('button', { name: 'Send' }).click()
  expect(await (await sent).headerValue('x-csrf-token')).toMatch(/^[\w-]{20,}$/)
  await form.getByText('201', { exact: true }).waitFor()
  await form.getByText('<b>from the reference</b>').waitFor()
  const { keys } = (await (await context.request.get('/api/keys')).json()) as {
    keys: { name: string }[]
  }
  expect(keys.map(({ name }) => name)).toEqual(['<b>from the reference</b>'])
})

test('sends requests with a key instead of the session, and asks for missing fields', async () => {
  const { page, context } = await visit()
  const { email } = await signedUp(context)
  const made = await context.request.post('/api/keys', { data: { name: 'CI' } })
  const { key } = (await made.json()) as { key: string }
  await context.clearCookies()
  await open(page, 'agents.get', 'Get an agent')
  const form = page.getByRole('complementary', { name: 'Examples' })
  await form.getByRole('button', { name: 'Send' }).click()
  await form.getByRole('alert').getByText('Fill in id.').waitFor()
  await page.goto('/docs#settings.get')
  await form.getByText('Use a key instead').click()
  await form.getByLabel('Bearer').fill(key)
  await form.getByRole('button', { name: 'Send' }).click()
  await form.getByText('200', { exact: true }).waitFor()
  expect(await form.getByRole('region', { name: 'Response' }).innerText()).toContain(email)
})

test('the reference page is one small file without other scripts', async () => {
  const { context } = await visit()
  const answer = await context.request.get('/docs', { headers: { 'accept-encoding': 'br' } })
  const policy = answer.headers()['content-security-policy'] ?? ''
  expect(policy).toMatch(
    /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+';/,
  )
  expect(policy).toContain("require-trusted-types-for 'script'")
  expect(answer.headers()['content-encoding']).toBe('br')
  const plain = await context.request.get('/docs', { headers: { 'accept-encoding': 'br;q=0' } })
  expect(plain.headers()).not.toHaveProperty('content-encoding')
  expect(await plain.text()).toBe(await answer.text())
})
