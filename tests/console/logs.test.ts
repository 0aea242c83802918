import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { closeBrowser, visit } from './support/browser.ts'
import { runningAgentOf, subscribed } from './support/people.ts'

afterAll(closeBrowser)

const log = (page: Page) => page.getByRole('log', { name: 'Log' })
/** Enough for a busy machine. */
const wait = { timeout: 60_000 }

const lines = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => {
    const text = `line ${from + i}${(from + i) % 7000 === 0 ? ' needle' : ''}`
    return `id: place-${from + i}\ndata: ${JSON.stringify({ type: 'line', text })}\n\n`
  }).join('')

/** A log whose stream breaks after each of these parts, and is then open without any data. */
async function logOf(parts: readonly string[]) {
  const { page, context } = await visit()
  await subscribed(context)
  const id = await runningAgentOf(context, 'Rhythm')
  const requests: (string | undefined)[] = []
  await page.route('**/api/logs/*/stream*', async (route) => {
    const body = parts[requests.length]
    requests.push(route.request().headers()['last-event-id'])
    if (body !== undefined) await route.fulfill({ contentType: 'text/event-stream', body })
  })
  await page.goto(`/agents/${id}/logs`)
  return { page, asked: requests }
}

test('a long log keeps the last 20,000 lines, renders the visible part, and resumes an interrupted stream', async () => {
  const { page, asked } = await logOf([lines(0, 15_000), lines(15_000, 25_000)])
  await log(page).getByText('line 24999', { exact: true }).waitFor()
  await expect
    .poll(() => asked.slice(0, 3), wait)
    .toEqual([undefined, 'place-14999', 'place-24999'])
  expect(await log(page).locator('.log-line').count()).toBeLessThan(200)
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download' }).click()
  const text = await readFile(await (await downloading).path(), 'utf8')
  expect(text.split('\n')).toHaveLength(20_001)
  expect(text.startsWith('line 5000\n')).toBe(true)
})

test('a search scrolls to the first match, then to the next', async () => {
  const { page } = await logOf([lines(0, 16_000)])
  await log(page).getByText('line 15999', { exact: true }).waitFor()
  await page.getByRole('searchbox', { name: 'Search' }).fill('NEEDLE')
  await page.keyboard.press('Enter')
  await log(page).getByText('line 0 needle').waitFor()
  await page.getByText('1 of 3').waitFor()
  await page.getByRole('button', { name: 'Follow' }).waitFor()
  await page.keyboard.press('Enter')
  await expect.poll(() => log(page).locator('mark').first().isVisible(), wait).toBe(true)
  await log(page).getByText('line 7000 needle').waitFor()
  await page.getByRole('searchbox', { name: 'Search' }).fill('nowhere')
  await page.keyboard.press('Enter')
  await page.getByText('No match').waitFor()
})

test('a line of JSON is shown as its time, its message and the rest, or as raw text', async () => {
  const request = {
    at: '2026-11-23T21:05:28.373Z',
    agentId: 'agt_1',
    generation: 1,
    requestId: 'req_1',
    method: 'POST',
    path: '/v1/chat/completions',
    status: 200,
    ms: 154,
  }
  const others = ['{not json', '{"at":"never","a":1}', '[1]', '{"level":30}', '']
  const body = [JSON.stringify(request), '{"time":0,"msg":"<b>ready</b>","port":80}', ...others]
    .map((text, i) => `id: ${i}\ndata: ${JSON.stringify({ type: 'line', text })}\n\n`)
    .join('')
  const { page } = await logOf([body])
  const shown = () => log(page).locator('.log-line').allInnerTexts()
  const clock = (at: string) =>
    page.evaluate(
      `new Date('${at}').toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 })`,
    )
  const first = `${await clock(request.at)} POST /v1/chat/completions 200 154 ms requestId=req_1`
  const second = `${await clock('1970-01-01T00:00:00Z')} <b>ready</b> port=80`
  await expect.poll(shown, wait).toEqual([first, second, ...others])
  // The search covers the visible lines.
  await page.getByRole('searchbox', { name: 'Search' }).fill('agt_1')
  await page.keyboard.press('Enter')
  await page.getByText('No match').waitFor()
  await page.getByRole('button', { name: 'Raw' }).click()
  expect((await shown())[0]).toBe(JSON.stringify(request))
  await page.getByRole('searchbox', { name: 'Search' }).press('Enter')
  await page.getByText('1 of 1').waitFor()
})

test('scrolling up keeps the visible lines until Follow, which shows newer ones', async () => {
  const { page } = await logOf([lines(0, 3000)])
  await log(page).getByText('line 2999', { exact: true }).waitFor()
  await log(page).hover()
  await page.mouse.wheel(0, -4000)
  await page.getByRole('button', { name: 'Follow' }).waitFor()
  const place = () => log(page).evaluate(({ scrollTop }) => scrollTop)
  const before = await place()
  await page.getByRole('button', { name: 'Follow' }).click()
  await expect.poll(place, wait).toBeGreaterThan(before)
  await log(page).getByText('line 2999', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Pause' }).waitFor()
})
