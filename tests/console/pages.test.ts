import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { recordCompletion } from '../support/ai/recorded-completions.ts'
import { sharedTable } from '../support/stack/platform.ts'
import { findings } from './support/axe.ts'
import { closeBrowser, visit } from './support/browser.ts'
import { agentOf, subscribed } from './support/people.ts'

afterAll(closeBrowser)

interface PageCase {
  path: string
  /** Its only h1. */
  h1: string
  /** A text that appears once the page shows its main content. */
  shows: string
}

const outside: PageCase[] = [
  { path: '/login?error=IdpNoEmail', h1: 'Sign in', shows: 'no verified email' },
  { path: '/register', h1: 'Create your account', shows: 'Already have an account?' },
  { path: '/forgot-password', h1: 'Reset your password', shows: 'Send the link' },
  { path: '/reset-password?token=x', h1: 'Choose a new password', shows: 'Set the password' },
  { path: '/verify-email?token=x', h1: 'Verify your email', shows: 'Verify' },
]

/** Returns the pages of a user with an agent of this name. */
const inside = (id: string, name: string): PageCase[] => [
  { path: '/dashboard', h1: 'Hello, ', shows: name },
  { path: '/agents', h1: 'Agents', shows: name },
  { path: '/agents/new', h1: 'New agent', shows: 'Create agent' },
  { path: `/agents/${id}`, h1: name, shows: 'Incidents' },
  { path: `/agents/${id}/chat`, h1: name, shows: 'No messages yet' },
  { path: `/agents/${id}/logs`, h1: name, shows: 'Download' },
  { path: `/agents/${id}/workspace`, h1: name, shows: 'Add note' },
  { path: `/agents/${id}/schedules`, h1: name, shows: 'No schedules yet' },
  { path: `/agents/${id}/settings`, h1: name, shows: 'System prompt' },
  { path: '/automation', h1: 'Automation', shows: 'No schedules yet' },
  { path: '/mission-control', h1: 'Mission control', shows: 'No turns yet' },
  { path: '/usage', h1: 'Usage and cost', shows: 'By key' },
  { path: '/keys', h1: 'Keys', shows: 'No keys yet' },
  { path: '/device', h1: 'Connect a device', shows: 'Continue' },
  { path: '/connect', h1: 'Connect a program', shows: 'Start again' },
  { path: '/billing', h1: 'Plan and billing', shows: 'Choose Network' },
  { path: '/account', h1: 'Account', shows: 'Change password' },
  { path: '/agents/agt_none', h1: 'Not found', shows: 'do not have access' },
]

async function look(page: Page, { path, h1, shows }: PageCase) {
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
    for (const each of outside) titles.push(await look(page, each))
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
  for (const each of inside(id, '<img src=x onerror=alert(1)>')) titles.push(await look(page, each))
  return titles
}
