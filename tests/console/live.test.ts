import type { Page, Request } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { countedFiles } from '../../bench/budgets/console.ts'
import { closeBrowser, visit } from './support/browser.ts'
import { agentOf, runningAgentOf, signedUp, subscribed } from './support/people.ts'

afterAll(closeBrowser)

/** Enough for a busy machine. */
const wait = { timeout: 60_000 }

/** Collects a page's requests to the platform, without the number of pending approvals, which is requested after them. */
function requestsOf(page: Page): Request[] {
  const requests: Request[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/api/') && pathname !== '/api/approvals') requests.push(request)
  })
  return requests
}

/** Collects the paths of a page's scripts and styles. */
function filesOf(page: Page): string[] {
  const files: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (/\.(?:js|css)$/.test(pathname)) files.push(pathname.slice(1))
  })
  return files
}

/** An idle page repeats a request after this many milliseconds at the earliest. */
const minPollMs = 10_000

/**
 * Returns the requests that loaded the page, without those that poll for changes. A page may load slowly on a busy
 * machine.
 */
function firstOf(asked: readonly Request[]): string[] {
  const begun = new Map<string, number>()
  return asked.flatMap((request) => {
    const name = `${request.method()} ${request.url()}`
    // 0 if the request got no response.
    const { startTime } = request.timing()
    const first = begun.get(name)
    if (first === undefined && startTime > 0) begun.set(name, startTime)
    return first === undefined || startTime - first < minPollMs ? [name] : []
  })
}

test('a page loads in four files, and renders with six requests at most, each sent once', async () => {
  const { page, context } = await visit()
  await subscribed(context)
  const id = await runningAgentOf(context, 'Rhythm')
  await context.request.post('/api/chat', { data: { agentId: id, message: 'Hello' } })
  for (const [path, shows] of [
    ['/welcome', 'Create agent'],
    ['/dashboard', 'Rhythm'],
    [`/agents/${id}`, 'History'],
    [`/agents/${id}/chat`, 'Copy answer'],
  ] as const) {
    const requests = requestsOf(page)
    const files = filesOf(page)
    await page.goto(path)
    await page.getByText(shows).first().waitFor()
    await page.waitForLoadState('networkidle')
    const first = firstOf(requests)
    expect({ path, asked: first.length <= 6, twice: first.length - new Set(first).size }).toEqual({
      path,
      asked: true,
      twice: 0,
    })
    if (path === '/dashboard') expect(files).toHaveLength(3)
    page.removeAllListeners('request')
  }
})

test.each(['login', 'dashboard'] as const)(
  '/%s loads exactly the files of its budget',
  async (name) => {
    const { page, context } = await visit()
    if (name === 'dashboard') await signedUp(context)
    const files = filesOf(page)
    await page.goto(`/${name}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.waitForLoadState('networkidle')
    expect(files.toSorted()).toEqual((await countedFiles('.', name)).toSorted())
  },
)

test('an empty account requests its session once', async () => {
  const { page, context } = await visit()
  await signedUp(context)
  const requests = requestsOf(page)
  await page.goto('/dashboard')
  await page.getByText('No agents yet').waitFor()
  expect(requests.filter((each) => each.url().includes('/api/auth/session'))).toHaveLength(1)
})

test('one of two tabs polls, and both show changes from elsewhere', async () => {
  const { page, context } = await visit()
  await subscribed(context)
  const id = await runningAgentOf(context, 'Rhythm')
  const other = await context.newPage()
  await page.goto('/agents')
  await other.goto('/agents')
  for (const each of [page, other]) {
    await each.getByText('running').waitFor()
    // The page has loaded its first data.
    await each.waitForLoadState('networkidle')
  }
  const requests = [requestsOf(page), requestsOf(other)]
  await context.request.post(`/api/instance/${id}/stop`, { data: {} })
  for (const each of [page, other])
    await expect.poll(() => each.locator('.state').innerText(), wait).toBe('stopped')
  // Either tab may be the one that polls; the other one has sent no request since.
  expect(Math.min(...requests.map(({ length }) => length))).toBe(0)
})

describe('the command menu', () => {
  test('opens pages and agents by their names, and restores the focus', async () => {
    const { page, context } = await visit()
    await subscribed(context)
    const name = '👩‍🚀'.repeat(20)
    const id = await agentOf(context, name)
    await page.goto('/keys')
    await page.getByRole('button', { name: 'New key' }).first().focus()
    await page.keyboard.press('Control+k')
    const menu = page.getByRole('dialog', { name: 'Command menu' })
    await menu.getByRole('option', { name }).waitFor()
    await page.keyboard.press('Escape')
    // A closed dialog is invisible immediately and removed a moment later.
    await expect.poll(() => page.locator('dialog.commands').count(), wait).toBe(0)
    expect(await page.evaluate('document.activeElement.textContent')).toContain('New key')
    await page.keyboard.press('Meta+k')
    await menu.getByRole('combobox').fill('👩‍🚀')
    await menu.getByRole('option', { name }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/agents/${id}`)
    await page.getByRole('heading', { level: 1, name }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('a')
    await page.waitForURL('**/agents')
  })

  test('has the switch for single-key shortcuts, and typing is never a shortcut', async () => {
    const { page, context } = await visit()
    await signedUp(context)
    await page.goto('/account')
    await page.getByRole('textbox', { name: 'Name' }).fill('')
    await page.getByRole('textbox', { name: 'Name' }).pressSequentially('g a/')
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('g a/')
    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('/')
    const menu = page.getByRole('dialog', { name: 'Command menu' })
    await menu.getByRole('checkbox').uncheck()
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('/')
    expect(await menu.count()).toBe(0)
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor()
    await page.keyboard.press('Control+k')
    expect(await menu.getByRole('checkbox').isChecked()).toBe(false)
  })
})

test('an agent is deleted by typing its name, and its page in another tab reports it', async () => {
  const { page, context } = await visit()
  await subscribed(context)
  const id = await agentOf(context, 'Rhythm')
  const other = await context.newPage()
  await other.goto(`/agents/${id}`)
  await other.getByRole('heading', { level: 1, name: 'Rhythm' }).waitFor()
  await page.goto(`/agents/${id}/settings`)
  await page.getByRole('textbox', { name: 'Type Rhythm to confirm' }).fill('Blues')
  await page.keyboard.press('Enter')
  expect(await page.getByRole('alert').innerText()).toContain('does not match the agent’s name')
  await page.getByRole('textbox', { name: 'Type Rhythm to confirm' }).fill('Rhythm')
  await page.getByRole('button', { name: 'Delete agent' }).click()
  await page.waitForURL('**/agents')
  await page.getByText('No agents yet').waitFor()
  await other.getByRole('heading', { level: 1, name: 'Not found' }).waitFor()
})

test('a temporary failure is reported, and disappears afterwards', async () => {
  const { page, context } = await visit()
  await subscribed(context)
  await agentOf(context, 'Rhythm')
  await page.goto('/agents')
  await page.getByRole('link', { name: 'Rhythm' }).waitFor()
  await page.route('**/api/agents', (route) =>
    route.fulfill({ status: 500, json: { error: 'Internal server error' } }),
  )
  await page.getByRole('alert').waitFor()
  // The known data stays on the page.
  expect(await page.getByRole('link', { name: 'Rhythm' }).count()).toBe(1)
  await page.unroute('**/api/agents')
  await expect.poll(() => page.getByRole('alert').count(), wait).toBe(0)
})
