import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { recordCompletion } from '../support/ai/recorded-completions.ts'
import { sharedTable } from '../support/stack/platform.ts'
import { findings } from './support/axe.ts'
import { closeBrowser, visit } from './support/browser.ts'
import { agentOf, signedUp, subscribed } from './support/people.ts'

afterAll(closeBrowser)

const dayMs = 86_400_000

async function downloaded(page: Page): Promise<string> {
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download CSV' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toMatch(/^usage-\d{4}-\d\d-\d\d-to-\d{4}-\d\d-\d\d\.csv$/)
  return readFile(await download.path(), 'utf8')
}

/** Creates a user whose agent called two models today and one model twenty days ago. */
async function someone(name = 'Rhythm') {
  const { page, context } = await visit()
  const { id: userId } = await subscribed(context)
  const agentId = await agentOf(context, name)
  const table = sharedTable()
  await recordCompletion(table, { userId, agentId, costUsd: 0.5 })
  await recordCompletion(table, {
    userId,
    model: 'x/small',
    costUsd: 1.5e-7,
    inputTokens: 1234,
    cacheReadTokens: 600,
    cacheWriteTokens: 300,
    reasoningTokens: 4,
  })
  await recordCompletion(table, { userId, model: 'x/no-price', costUsd: null })
  await recordCompletion(
    table,
    { userId, agentId, model: 'x/old', costUsd: 3 },
    Date.now() - 20 * dayMs,
  )
  return { page, context, agentId }
}

const header =
  'date,agent_id,agent_name,model,provider,input_tokens,output_tokens,total_tokens,cost_usd,turns,unpriced,cache_read_tokens,cache_write_tokens,reasoning_tokens'

describe('usage', () => {
  test('usage without any data is reported in words, without samples', async () => {
    const { page, context } = await visit()
    await signedUp(context)
    await page.goto('/usage')
    await page.getByRole('heading', { name: 'No usage' }).waitFor()
    expect(await page.locator('main').innerText()).not.toMatch(/sample|mock/i)
    expect(await page.getByRole('img').count()).toBe(0)
    expect(await downloaded(page)).toBe(`${header}\r\n`)
    expect(await findings(page)).toEqual([])
  })

  test('the period of the usage is selected by arrow keys, and is part of the address', async () => {
    const { page } = await someone()
    await page.goto('/usage')
    const byModel = page.getByRole('region', { name: 'Usage by model' })
    await byModel.getByText('x/small').waitFor()
    expect(await byModel.getByText('x/old').count()).toBe(0)
    await page.getByRole('radio', { name: '7 days' }).focus()
    await page.keyboard.press('ArrowRight')
    await page.waitForURL('**/usage?period=30d')
    await byModel.getByText('x/old').waitFor()
    expect(await page.getByRole('radio', { name: '30 days' }).isChecked()).toBe(true)
    expect(await page.evaluate('document.activeElement.value')).toBe('30d')
    await page.getByRole('radio', { name: 'This month' }).click()
    await page.waitForURL('**/usage?period=mtd')
    await page.goBack()
    await page.waitForURL('**/usage?period=30d')
    expect(await page.getByRole('radio', { name: '30 days' }).isChecked()).toBe(true)
    await page.reload()
    await byModel.getByText('x/old').waitFor()
  })

  test('has a table with the figures of each chart, which shows unknown cost separately', async () => {
    const { page } = await someone()
    await page.goto('/usage')
    const chart = page.getByRole('img', { name: /^Cost day by day, by model/ })
    await chart.waitFor()
    const [today = ''] = await page
      .getByRole('table', { name: 'Cost day by day, by model' })
      .locator('tbody tr')
      .allInnerTexts()
    expect(today.split(/\s*\t\s*/).slice(1)).toEqual(['$0.50', '$0.00000015', '$0.50', '3', '1'])
    const row = page.getByRole('row').filter({ hasText: 'x/no-price' })
    expect(await row.innerText()).toContain('unknown')
    const small = await page.getByRole('row', { name: /^x\/small/ }).innerText()
    expect(small).toMatch(/1,234\s+900 cached\s+10\s+4 reasoning/)
    expect(await page.getByRole('definition').allInnerTexts()).toContain('1 call')

    await page.getByRole('radio', { name: 'Tokens' }).click()
    await page.getByRole('img', { name: /^Tokens day by day, by model/ }).waitFor()
    await page.getByRole('radio', { name: 'By agent' }).click()
    await page.getByRole('table', { name: 'Tokens day by day, by agent' }).waitFor()
    expect(new URL(page.url()).search).toBe('?measure=tokens&by=agent')
  })

  test('unknown cost is shown as unknown, never as zero', async () => {
    const { page, context } = await visit()
    const { id: userId } = await subscribed(context)
    await recordCompletion(sharedTable(), { userId, model: 'x/no-price', costUsd: null })
    await page.goto('/usage')
    await page.getByText('Spending this month is unknown').waitFor()
    const today = page
      .getByRole('table', { name: /^Cost day by day/ })
      .locator('tbody tr')
      .first()
    expect(await today.innerText()).toContain('unknown')
    expect(await today.innerText()).not.toContain('$')
    expect(await page.getByRole('definition').allInnerTexts()).toContain('unknown')
  })

  test('is downloaded in the format of RFC 4180, with plain numbers and no formulas', async () => {
    const { page, agentId } = await someone('=Ada, "the" agent')
    await page.goto('/usage')
    const [first, ...rows] = (await downloaded(page)).split('\r\n')
    const date = new Date().toISOString().slice(0, 10)
    expect(first).toBe(header)
    expect(rows.sort()).toEqual(
      [
        '',
        `${date},${agentId},"'=Ada, ""the"" agent",openai/gpt-4o,router,100,10,110,0.5,1,0,0,0,0`,
        `${date},,,x/small,router,1234,10,1244,0.00000015,1,0,600,300,4`,
        `${date},,,x/no-price,router,100,10,110,,1,1,0,0,0`,
      ].sort(),
    )
  })

  test('usage that cannot be read is reported', async () => {
    const { page, context } = await visit()
    await signedUp(context)
    await page.route('**/api/usage/**', (route) =>
      route.fulfill({ status: 400, json: { error: 'the table is away' } }),
    )
    await page.goto('/usage')
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').innerText()).toContain('The table is away')
    expect(await page.getByText('No usage').count()).toBe(0)
    expect(await findings(page)).toEqual([])
  })

  test('makes few requests, each once', async () => {
    const { page } = await someone()
    const requests: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/api/')) requests.push(pathname)
    })
    // The navigation counts the waiting approvals a moment after the page.
    const counted = page.waitForRequest((request) => request.url().includes('/api/approvals'))
    await page.goto('/usage')
    await page.getByRole('heading', { name: 'By key' }).waitFor()
    await page.getByRole('heading', { name: 'Spend cap and alerts' }).waitFor()
    await counted
    expect(requests.sort()).toEqual([
      '/api/approvals',
      '/api/auth/session',
      '/api/settings',
      '/api/usage/breakdown',
      '/api/usage/by-key',
    ])
  })
})

test('a spend cap and alerts are set, stored and cleared', async () => {
  const { page } = await someone()
  await page.goto('/usage')
  const cap = page.getByRole('textbox', { name: 'Spend cap in US dollars per month' })
  const alerts = page.getByRole('textbox', { name: 'Alert at these percentages' })
  await cap.fill('a lot')
  await cap.press('Enter')
  expect(await page.getByRole('alert').innerText()).toContain('cap in US dollars')
  await cap.fill('25.50')
  const dayCap = page.getByRole('textbox', { name: 'Spend cap in US dollars per day' })
  await dayCap.fill('3')
  await alerts.fill('50, 80%, 120')
  await alerts.press('Enter')
  await page.getByText('whole percentages from 1 to 100').waitFor()
  await alerts.fill('80 50')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  await page.getByText('of $25.50 spent this month').waitFor()
  await page.reload()
  expect([await cap.inputValue(), await alerts.inputValue()]).toEqual(['25.5', '50, 80'])
  expect(await dayCap.inputValue()).toBe('3')
  await dayCap.fill('')
  await cap.fill('')
  await cap.press('Enter')
  await page.getByText('spent this month, without a cap').waitFor()
})

test('usage is compared with the cost of another model', async () => {
  const { page } = await someone()
  await page.goto('/usage')
  await page.getByText('Compare with another model').click()
  const model = page.getByRole('combobox', { name: 'Model' })
  await model.selectOption('local/echo')
  await page.getByRole('button', { name: 'Compare' }).click()
  const result = page.getByRole('status').filter({ hasText: 'instead of' })
  await result.waitFor()
  expect(await result.innerText()).toContain(
    '$0.00 with local/echo, instead of $0.50, without 1 call of unknown cost.',
  )
})
