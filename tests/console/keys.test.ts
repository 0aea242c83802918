import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { snippets } from '../../console/screens/keys/snippets.ts'
import { findings } from './support/axe.ts'
import { closeBrowser, visit } from './support/browser.ts'
import { signedUp } from './support/people.ts'

afterAll(closeBrowser)

test('a key is created with the selected scopes, lifetime and limits', async () => {
  const { page, context } = await visit()
  await signedUp(context)
  await page.goto('/keys')
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Reader')
  await page.getByRole('checkbox', { name: /^chat/ }).uncheck()
  await page.getByRole('checkbox', { name: /^write/ }).focus()
  await page.keyboard.press('Space')
  expect(await page.getByRole('checkbox', { name: /^admin/ }).isChecked()).toBe(false)
  await page.getByRole('combobox', { name: 'Expires' }).selectOption('In 30 days')
  await page.getByRole('textbox', { name: 'Models' }).fill('local/echo, openai/gpt-4o')
  await page.getByRole('textbox', { name: 'Model calls per minute' }).fill('60')
  await page.getByRole('textbox', { name: 'US dollars per day' }).fill('much')
  await page.getByRole('textbox', { name: 'Name' }).press('Enter')
  expect(await page.getByRole('alert').innerText()).toContain('in US dollars')
  await page.getByRole('textbox', { name: 'US dollars per day' }).fill('1.50')
  await page.getByRole('textbox', { name: 'Name' }).press('Enter')
  const key = await page.getByRole('textbox', { name: 'Your new key' }).inputValue()
  const item = page.getByRole('listitem').filter({ hasText: 'Reader' })
  expect(await item.innerText()).toMatch(/read; made .*expires next month|read; made .*expires in/)
  await item
    .getByText('60 model calls per minute; $1.50 per day; the models local/echo, openai/gpt-4o')
    .waitFor()
  const bearer = { headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' } }
  const ask = (method: string, body?: string) =>
    fetch(`${inject('stack').web}/api/swarms`, { ...bearer, method, ...(body && { body }) })
  expect((await ask('GET')).status).toBe(200)
  expect((await ask('POST', '{"name":"x","agents":["agt_x"]}')).status).toBe(403)

  const shell = page.getByRole('region', { name: 'For curl' })
  expect(await shell.innerText()).toContain(`export PLATFORM_API_KEY=${key}`)
  await page.getByRole('combobox', { name: 'Program' }).selectOption('Codex (MCP)')
  const codex = await page.getByRole('region', { name: 'For Codex (MCP)' }).innerText()
  expect(codex).toContain(`url = "${new URL(page.url()).origin}/mcp"`)
  expect(await findings(page)).toEqual([])
})

test('the name and the limits of a key are changed, and the limits removed', async () => {
  const { page, context } = await visit()
  await signedUp(context)
  const limits = { usdPerDay: 1.5, usdPerMonth: 20, models: ['local/echo'] }
  const { key } = (await (
    await context.request.post('/api/keys', { data: { name: 'Reader', limits } })
  ).json()) as { key: string }
  await page.goto('/keys')
  const item = page.getByRole('listitem').filter({ hasText: 'made' })
  const edit = item.getByRole('button', { name: 'Edit Reader' })
  await edit.click()
  const day = item.getByRole('textbox', { name: 'US dollars per day' })
  const fields = await item.getByRole('textbox').all()
  const values = await Promise.all(fields.map((field) => field.inputValue()))
  expect(values).toEqual(['Reader', 'local/echo', '', '1.5', '20'])
  expect(await edit.getAttribute('aria-expanded')).toBe('true')
  expect(await findings(page)).toEqual([])
  await day.fill('much')
  await day.press('Enter')
  expect(await item.getByRole('alert').innerText()).toContain('in US dollars')
  await day.fill('0.25')
  await item.getByRole('textbox', { name: 'US dollars per month' }).fill('')
  await item.getByRole('textbox', { name: 'Model calls per minute' }).fill('30')
  await item.getByRole('textbox', { name: 'Models' }).fill('')
  await item.getByRole('textbox', { name: 'Name' }).fill('Writer')
  await day.press('Enter')
  await item
    .getByText('At most 30 model calls per minute; $0.25 per day', { exact: true })
    .waitFor()
  expect(await item.locator('strong').innerText()).toBe('Writer')
  const again = item.getByRole('button', { name: 'Edit Writer' })
  const focused = await page.evaluate('document.activeElement.getAttribute("aria-label")')
  expect(focused).toBe('Edit Writer')
  const listed = async () => {
    const answer = await context.request.get('/api/keys')
    return ((await answer.json()) as { keys: { name: string; limits: object | null }[] }).keys
  }
  expect(await listed()).toMatchObject([
    { name: 'Writer', limits: { requestsPerMinute: 30, usdPerDay: 0.25 } },
  ])
  const bearer = { headers: { authorization: `Bearer ${key}` } }
  expect((await fetch(`${inject('stack').web}/api/agents`, bearer)).status).toBe(200)

  await again.click()
  await item.getByRole('textbox', { name: 'Model calls per minute' }).fill('')
  await day.fill('')
  await day.press('Enter')
  await expect.poll(() => item.getByText('At most').count()).toBe(0)
  expect(await listed()).toMatchObject([{ name: 'Writer', limits: null }])
})

describe('the instructions to connect', () => {
  const urls = { key: '$PLATFORM_API_KEY', models: '$MODELS_URL/v1' }
  const shown = snippets('https://app.example.com', urls)
  const pageOf = (path: string) =>
    readFileSync(path, 'utf8').replaceAll('http://localhost:3001', '$MODELS_URL')

  test.each([
    ['docs/use/connect.md', '(MCP)'],
    ['docs/use/models.md', '(models)'],
  ])('equal %s', (path, kind) => {
    const page = pageOf(path)
    const texts = shown.filter(({ name }) => name.endsWith(kind)).map(({ text }) => text)
    expect(texts.length).toBeGreaterThan(4)
    for (const text of texts) expect(page).toContain(`\n${text}\n`)
  })
})

test('a webhook is created with its secret shown once, tested, and deleted', async () => {
  const { page, context } = await visit()
  await signedUp(context)
  await page.goto('/keys')
  await page.getByRole('button', { name: 'New webhook' }).click()
  const address = page.getByRole('textbox', { name: 'Address' })
  await address.fill('ftp://example.com')
  await page.getByRole('button', { name: 'Create webhook' }).click()
  await page.getByRole('alert').waitFor()
  await address.fill(inject('stack').receiver)
  await address.press('Enter')
  const secret = page.getByRole('textbox', { name: 'Signing secret' })
  expect(await secret.inputValue()).toMatch(/^whsec_/)
  const item = page.getByRole('listitem').filter({ hasText: inject('stack').receiver })
  const requested = Promise.withResolvers<void>()
  await page.route('**/api/webhook-endpoints/*/test', async (route) => {
    await requested.promise
    await route.continue()
  })
  const ping = item.getByRole('button', { name: 'Test' })
  await ping.click()
  await expect.poll(() => ping.getAttribute('data-busy')).toBe('true')
  expect(await ping.isDisabled()).toBe(true)
  requested.resolve()
  const deliveries = item.getByRole('list', { name: 'Deliveries' })
  await deliveries.getByText('delivered').waitFor()
  expect(await deliveries.innerText()).toMatch(/ping[\s\S]*answered 200/)
  expect(await findings(page)).toEqual([])
  const resent: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/redeliver')) resent.push(request.url())
  })
  await deliveries.getByRole('button', { name: 'Redeliver' }).evaluateAll(([button]) => {
    button?.click()
    button?.click()
  })
  await expect.poll(() => deliveries.getByText('delivered').count(), { timeout: 60_000 }).toBe(2)
  expect(resent).toHaveLength(1)
  await item.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect.poll(() => item.count(), { timeout: 60_000 }).toBe(0)
  await page.reload()
  await page.getByRole('heading', { name: 'Webhooks' }).waitFor()
  expect(await secret.count()).toBe(0)
})

test('OpenAI’s clients get the gateway’s address, ready to copy', async () => {
  const { page, context } = await visit()
  await signedUp(context)
  await page.goto('/keys')
  await page.getByRole('combobox', { name: 'Program' }).selectOption('OpenAI’s clients')
  const snippet = page.getByRole('region', { name: 'For OpenAI’s clients' })
  await expect
    .poll(() => snippet.innerText(), { timeout: 60_000 })
    .toMatch(/OPENAI_BASE_URL="http:\/\/[\w.]+:\d+\/v1"/)
  const [, base = ''] = /OPENAI_BASE_URL="([^"]+)"/.exec(await snippet.innerText()) ?? []
  expect((await fetch(`${base}/models`)).status).toBe(401)
})
