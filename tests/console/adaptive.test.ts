import type { Locator } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { findings } from './support/axe.ts'
import { closeBrowser, visit } from './support/browser.ts'
import { agentOf, signedUp, subscribed } from './support/people.ts'

afterAll(closeBrowser)

describe.each([320, 390, 768])('the navigation %i wide', (width) => {
  test('is complete, and links to every page', async () => {
    const { page, context } = await visit({ width })
    await signedUp(context)
    await page.goto('/dashboard')
    const nav = page.getByRole('navigation', { name: 'Main' })
    await nav.getByRole('link', { name: 'Approvals' }).click()
    await page.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor()
    for (const control of await nav.getByRole('link').or(nav.getByRole('button')).all()) {
      const { x = -1, width: own = 0 } = (await control.boundingBox()) ?? {}
      expect({ x, within: x >= 0 && x + own <= width }).toEqual({ x, within: true })
    }
    for (const [name, h1] of [
      ['Usage', 'Usage and cost'],
      ['Keys', 'Keys'],
      ['Plan', 'Plan and billing'],
      ['Mission control', 'Mission control'],
      ['Account', 'Account'],
    ] as const) {
      await nav.getByRole('button', { name: 'More' }).click()
      const menu = page.getByRole('dialog', { name: 'Command menu' })
      await menu.getByRole('option', { name, exact: false }).first().click()
      await page.getByRole('heading', { level: 1, name: h1 }).waitFor()
    }
  })
})

const fill = (each: Locator) =>
  each.evaluate((element) => element.computedStyleMap().get('background-color')?.toString())

test('the selected item is visible under forced colours', async () => {
  const { page, context } = await visit({ forced: true })
  await subscribed(context)
  const id = await agentOf(context, 'Rhythm')
  await page.goto(`/agents/${id}`)
  const tab = (name: string) => page.getByRole('tab', { name })
  await tab('Overview').waitFor()
  expect(await fill(tab('Overview'))).not.toBe(await fill(tab('Chat')))
  const link = (name: string) => page.getByRole('navigation').getByRole('link', { name })
  expect(await fill(link('Agents'))).not.toBe(await fill(link('Usage')))
  await page.keyboard.press('Control+k')
  const options = page.getByRole('dialog', { name: 'Command menu' }).getByRole('option')
  await options.nth(1).waitFor()
  expect(await fill(options.first())).not.toBe(await fill(options.nth(1)))
  await page.keyboard.press('Escape')
  await page.goto('/usage')
  const label = (name: string) => page.locator('label', { hasText: name })
  await label('7 days').first().waitFor()
  expect(await fill(label('30 days').first())).not.toBe(await fill(label('7 days').first()))
  expect(await findings(page)).toEqual([])
})
