import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { findings } from './support/axe.ts'
import { closeBrowser, visit } from './support/browser.ts'
import { runningAgentOf, subscribed } from './support/people.ts'

afterAll(closeBrowser)

/** Enough for a busy machine. */
const wait = { timeout: 60_000 }

/**
 * Creates two agents: Ada is stopped, Bob runs.
 * @returns their ids
 */
async function oneRestsOneWorks(context: BrowserContext) {
  await subscribed(context)
  const [rests, works] = [
    await runningAgentOf(context, 'Ada'),
    await runningAgentOf(context, 'Bob'),
  ]
  await context.request.post(`/api/instance/${rests}/stop`, { data: {} })
  return { rests, works }
}

/** Makes the next start fail as on AWS: on one machine, the number of awake agents has no limit. */
async function refuseNextStart(page: Page, awake: { id: string; name: string }): Promise<void> {
  const refusal = {
    error: `The plan allows one awake agent, and these are awake: ${awake.name}. Stop one, or let it sleep`,
    code: 'AWAKE_LIMIT_REACHED',
    current: 1,
    limit: 1,
    awake: [awake],
  }
  await page.route(
    (url) => url.pathname.endsWith('/start'),
    (route) => route.fulfill({ status: 402, json: refusal }),
    { times: 1 },
  )
}

/** Stops Bob in favour of Ada, and confirms. */
async function stopBob(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Stop Bob' }).click()
  const dialog = page.getByRole('dialog', { name: 'Stop Bob and start Ada?' })
  await dialog.getByRole('button', { name: 'Stop Bob' }).click()
}

test.each([
  { width: 1280, colours: 'light' },
  { width: 390, colours: 'dark' },
] as const)(
  'an agent at the limit of agents awake starts in place of another, $width wide and $colours',
  async (window) => {
    const { page, context } = await visit(window)
    const { rests, works } = await oneRestsOneWorks(context)
    await refuseNextStart(page, { id: works, name: 'Bob' })
    await page.goto(`/agents/${rests}`)
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.getByRole('alert').getByText('these are awake: Bob').waitFor()
    expect(await findings(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)

    await stopBob(page)
    await page.locator('.state[data-state=running]').first().waitFor(wait)
    expect(await page.getByRole('alert').count()).toBe(0)
    const { agent } = (await (await context.request.get(`/api/agents/${works}`)).json()) as {
      agent: { status: string }
    }
    expect(agent.status).toBe('stopped')
  },
)

test('a rejected start after another agent was stopped names the agents awake, until the agent is started elsewhere', async () => {
  const { page, context } = await visit()
  const { rests, works } = await oneRestsOneWorks(context)
  await refuseNextStart(page, { id: works, name: 'Bob' })
  await page.goto(`/agents/${rests}`)
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await page.getByRole('alert').getByText('these are awake: Bob').waitFor()

  await refuseNextStart(page, { id: 'another', name: 'Cleo' })
  await stopBob(page)
  await page.getByRole('alert').getByText('these are awake: Cleo').waitFor()
  await page.getByRole('button', { name: 'Stop Cleo' }).waitFor()
  expect(await page.getByRole('button', { name: 'Stop Bob' }).count()).toBe(0)
  expect(await page.getByRole('dialog').count()).toBe(0)
  expect(await page.getByRole('alert').count()).toBe(1)

  await context.request.post(`/api/instance/${rests}/start`, { data: {} })
  // The event of a user who returns to the tab: the page polls immediately.
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
  await page.locator('.state[data-state=running]').first().waitFor(wait)
  await expect.poll(() => page.getByRole('button', { name: 'Stop Cleo' }).count(), wait).toBe(0)
  await expect.poll(() => page.getByRole('alert').count(), wait).toBe(0)
})
