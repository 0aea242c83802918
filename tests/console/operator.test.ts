import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BrowserContext } from 'playwright-core'
import { afterAll, expect, inject, test } from 'vitest'
import { findings } from './support/axe.ts'
import { closeBrowser, visit } from './support/browser.ts'
import { agentOf, password, signedUp, subscribed } from './support/people.ts'

afterAll(closeBrowser)

const email = 'admin@example.com'

/** Returns the token of the mail that asks the user to verify an address. */
async function verification(): Promise<string | undefined> {
  const outbox = join(inject('stack').dataDir, 'outbox')
  for (const name of await readdir(outbox)) {
    const mail = JSON.parse(await readFile(join(outbox, name), 'utf8')) as {
      to: string
      text: string
    }
    if (mail.to === email) return /verify-email\?token=([\w-]+)/.exec(mail.text)?.[1]
  }
  return undefined
}

/** Signs in as the only administrator of the stack. */
async function administrator(context: BrowserContext): Promise<void> {
  await context.request.post('/api/register', { data: { name: 'Grace', email, password } })
  let token: string | undefined
  await expect.poll(async () => (token = await verification()), { timeout: 60_000 }).toBeDefined()
  await context.request.post('/api/auth/verify-email', { data: { token, password } })
  await context.request.post('/api/auth/login', { data: { email, password } })
}

test('an administrator sees all users’ agents, users, queues and providers', async () => {
  const other = await visit()
  const { email: owner, id } = await subscribed(other.context)
  const name = `Fleet ${id}`
  await agentOf(other.context, name)

  const { page, context } = await visit()
  await administrator(context)
  await page.goto('/dashboard')
  const nav = page.getByRole('navigation', { name: 'Main' })
  await nav.getByRole('link', { name: 'Operator' }).click()
  const agents = page.getByRole('table', { name: 'Agents of all users' })
  await agents.getByText(name).waitFor()
  await page.getByRole('heading', { name: 'Incidents' }).waitFor()
  expect(await findings(page)).toEqual([])
  await page.getByRole('combobox', { name: 'State' }).selectOption('stopped')
  await expect.poll(() => agents.getByText(name).count(), { timeout: 60_000 }).toBe(0)
  expect(new URL(page.url()).search).toBe('?status=stopped')

  await page.getByRole('tab', { name: 'Fleet' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.waitForURL('**/operator/platform')
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Platform')
  const row = page.getByRole('row').filter({ hasText: owner })
  await row.waitFor()
  await page.getByRole('table', { name: 'Queues' }).getByText('provisioning').first().waitFor()
  await page.getByRole('table', { name: 'Model providers' }).getByText('a stand-in').waitFor()
  expect(await findings(page)).toEqual([])
  await row.getByRole('link', { name: '1' }).click()
  await page.waitForURL(`**/operator/fleet?user=${id}`)
  await agents.getByText(name).waitFor()
})

test('dead letters are redelivered by a button that asks for confirmation', async () => {
  const { page, context } = await visit()
  await administrator(context)
  let dead = 3
  await page.route('**/api/operator/queues', (route) =>
    route.fulfill({ json: { queues: [{ name: 'videos', waiting: 0, dead, oldestAt: null }] } }),
  )
  await page.route('**/api/operator/queues/videos/redrive', (route) => {
    dead = 0
    return route.fulfill({ json: { name: 'videos', moved: 3, dead: 0 } })
  })
  await page.goto('/operator/platform')
  await page.getByRole('button', { name: 'Redrive' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Redrive' }).click()
  await page.getByText('3 messages moved back to videos').waitFor()
  await expect
    .poll(() => page.getByRole('button', { name: 'Redrive' }).count(), { timeout: 60_000 })
    .toBe(0)
})

test.each(['/operator', '/operator/fleet', '/operator/platform'])(
  '%s is not found by other users, and sends no request',
  async (path) => {
    const { page, context } = await visit()
    await signedUp(context)
    const requests: string[] = []
    page.on('request', (request) => void requests.push(new URL(request.url()).pathname))
    await page.goto(path)
    await page.getByRole('heading', { name: 'Not found' }).waitFor()
    expect(requests.filter((each) => each.startsWith('/api/operator'))).toEqual([])
    expect(await page.getByRole('link', { name: 'Operator' }).count()).toBe(0)
  },
)
