import { afterAll, expect, inject, test } from 'vitest'
import { findings } from './support/axe.ts'
import { closeBrowser, visit } from './support/browser.ts'
import { agentOf, signedUp, subscribed } from './support/people.ts'

afterAll(closeBrowser)

test('the plan’s page shows the number of agents awake under a limit, and paid storage', async () => {
  const { page, context } = await visit()
  await subscribed(context)
  const tokens = page.getByRole('region', { name: 'Tokens this month' })
  const awake = page.getByRole('region', { name: 'Agents awake now' })
  const storage = page.getByRole('region', { name: 'Storage for files' })
  await page.goto('/billing')
  await tokens.waitFor()
  expect(await awake.count()).toBe(0)
  await storage.getByText('0 bytes of 5 GB used.').waitFor()
  await storage.getByRole('button', { name: 'Add 50 GB for £39 a month' }).waitFor()

  // On one machine the platform has no limits, so the test adds the figures of a deployed platform to its response.
  for (const [current, says] of [
    [2, 'A sleeping agent wakes up for the next message.'],
    [3, 'goes to sleep.'],
  ] as const) {
    await page.route('**/api/billing', async (route) => {
      const response = await route.fetch()
      const json: object = await response.json()
      const storageGb = 50
      const awakeAgents = { current, limit: 3 }
      await route.fulfill({ response, json: { ...json, storageGb, awakeAgents } })
    })
    await page.reload()
    await storage.getByText('You pay for 50 GB in addition to the plan.').waitFor()
    expect(await storage.getByRole('button', { name: 'Cancel storage' }).count()).toBe(1)
    await awake.getByText(`${current} of 3. `).waitFor()
    expect(await awake.innerText()).toContain(says)
    await page.unroute('**/api/billing')
  }
  expect(await findings(page)).toEqual([])
})

test('the plan’s page shows the storage that each agent uses', async () => {
  const { page, context } = await visit({ width: 375 })
  await subscribed(context)
  const id = await agentOf(context, 'Rhythm')
  const headers = { 'content-type': 'application/octet-stream' }
  const data = 'x'.repeat(1536)
  await context.request.put(`/api/agents/${id}/files/content?path=a`, { data, headers })
  const storage = page.getByRole('region', { name: 'Storage for files' })
  await page.goto('/billing')
  await storage.getByText('1.5 kB of 5 GB used.').waitFor()
  expect(await page.getByText('100 GB of files').count()).toBe(1)
  const agents = storage.getByRole('list', { name: 'Storage by agent' })
  expect(await agents.getByRole('listitem').allInnerTexts()).toEqual(['Rhythm\n1.5 kB'])
  expect(await findings(page)).toEqual([])
  await page.route('**/api/storage', (route) =>
    route.fulfill({ json: { usedBytes: 130, quotaBytes: 100, agents: [], measuredAt: null } }),
  )
  await page.reload()
  await storage.getByText('Agents do not start until less than 120 % is used.').waitFor()
  await agents.waitFor({ state: 'detached' })
  await page.goto(`/billing`)
  expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)
})

test('a plan is bought once for two concurrent clicks', async () => {
  const { page, context } = await visit({}, [new URL(inject('stack').checkout).origin])
  await signedUp(context)
  await page.goto('/billing')
  let bought = 0
  await context.route('**/api/billing', (route) => {
    if (route.request().method() === 'POST') bought++
    return route.continue()
  })
  const choose = page.getByRole('button', { name: 'Choose Solo', exact: true })
  await choose.waitFor()
  await choose.evaluateAll(([button]) => {
    button?.click()
    button?.click()
  })
  await page.getByRole('button', { name: 'Pay' }).waitFor()
  expect(bought).toBe(1)
})
