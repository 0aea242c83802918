import { type Locator, type Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Policy } from '#shared/permits/policy/policy.ts'
import { visit } from './browser.ts'
import { agentOf, subscribed } from './people.ts'

/** Opens the tab of a new agent with this policy. */
export async function policyTab(policy?: Policy, look: Parameters<typeof visit>[0] = {}) {
  const { page, context } = await visit(look)
  const { id: userId } = await subscribed(context)
  const id = await agentOf(context, 'Rhythm')
  const path = `/api/agents/${id}/policy`
  const put = async (data: Policy) =>
    expect((await context.request.put(path, { data })).status()).toBe(200)
  const stored = async () => (await (await context.request.get(path)).json()) as Policy
  if (policy !== undefined) await put(policy)
  await page.goto(`/agents/${id}/policy`)
  await save(page).waitFor()
  return { page, context, userId, id, path, put, stored }
}

export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
export const save = (page: Page) => button(page, 'Save policy')
export const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })
export const rules = (page: Page) => page.getByRole('list', { name: 'Rules', exact: true })
export const choose = (page: Page, name: string, option: string) =>
  page.getByRole('combobox', { name, exact: true }).selectOption(option)

/** Returns the policy in words, as the page shows it. */
export const words = (page: Page) => rules(page).locator('.list-main').allInnerTexts()

export const hasFocus = (one: Locator): Promise<boolean> =>
  one.evaluate((element) => element === element.ownerDocument.activeElement)
