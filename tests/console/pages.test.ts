import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { recordCompletion } from '../support/ai/recorded-completions.ts'
import { sharedTable } from '../support/stack/platform.ts'
import { findings } from './support/axe.ts'
import { closeBrowser, visit } from './support/browser.ts'
import { type ConsolePage, pagesInside, pagesOutside } from './support/pages.ts'
import { agentOf, subscribed } from './support/people.ts'

afterAll(closeBrowser)

async function look(page: Page, { path, h1, shows }: ConsolePage) {
  await page.goto(path)
  await page.getByText(shows).first().waitFor()
  expect(await page.locator('h1').allInnerTexts()).toEqual([expect.stringContaining(h1)])
  expect({ path, found: await findings(page) }).toEqual({ path, found: [] })
  const wider = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
  expect({ path, wider }).toEqual({ path, wider: false })
  return page.title()
}

const windows = [
  { width: 1280, colours: 'light' },
  { width: 1280, colours: 'dark' },
  { width: 390, colours: 'light' },
  { width: 390, colours: 'dark' },
] as const

describe.each(windows)('every page, $width wide and $colours', (window) => {
  test('is public, fits, and has its own title', async () => {
    const { page, context } = await visit(window)
    const titles: string[] = []
    for (const each of pagesOutside) titles.push(await look(page, each))
    titles.push(...(await whenSignedIn(page, context)))
    expect(new Set(titles).size).toBe(titles.length)
  })
})

async function whenSignedIn(page: Page, context: BrowserContext): Promise<string[]> {
  const { id: userId } = await subscribed(context)
  const hostile = '<img src=x onerror=alert(1)> “Ada” 👩‍🚀 ' + 'long'.repeat(12)
  const id = await agentOf(context, hostile)
  await recordCompletion(sharedTable(), { userId, agentId: id })
  await recordCompletion(sharedTable(), { userId, model: 'x/no-price', costUsd: null })
  const titles: string[] = []
  const missing = { path: '/agents/agt_none', h1: 'Not found', shows: 'do not have access' }
  for (const each of [...pagesInside(id, '<img src=x onerror=alert(1)>'), missing])
    titles.push(await look(page, each))
  return titles
}
