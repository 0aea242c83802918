import { afterAll, expect, test } from 'vitest'
import { findings } from './support/axe.ts'
import { closeBrowser, visit } from './support/browser.ts'
import { runningAgentOf, subscribed } from './support/people.ts'

afterAll(closeBrowser)

/** For a machine that is busy with something else. */
const wait = { timeout: 60_000 }

test.each([
  { width: 1280, colours: 'light' },
  { width: 390, colours: 'dark' },
] as const)(
  'an agent that may not be awake beside others starts in place of one, $width wide and $colours',
  async (window) => {
    const { page, context } = await visit(window)
    await subscribed(context)
    const [rests, works] = [
      await runningAgentOf(context, 'Ada'),
      await runningAgentOf(context, 'Bob'),
    ]
    await context.request.post(`/api/instance/${rests}/stop`, { data: {} })
    // As where it is deployed: on one machine any number may be awake.
    const refusal = {
      error:
        'One agent may be awake at once by the plan, and these are: Bob. Stop one, or let it sleep',
      code: 'AWAKE_LIMIT_REACHED',
      current: 1,
      limit: 1,
      awake: [{ id: works, name: 'Bob' }],
    }
    await page.route(
      (url) => url.pathname.endsWith('/start'),
      (route) => route.fulfill({ status: 402, json: refusal }),
      { times: 1 },
    )
    await page.goto(`/agents/${rests}`)
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.getByRole('alert').getByText('these are: Bob').waitFor()
    expect(await findings(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)

    await page.getByRole('button', { name: 'Stop Bob' }).click()
    const dialog = page.getByRole('dialog', { name: 'Stop Bob and start Ada?' })
    await dialog.getByRole('button', { name: 'Stop Bob' }).click()
    await page.locator('.state[data-state=running]').first().waitFor(wait)
    expect(await page.getByRole('alert').count()).toBe(0)
    const { agent } = (await (await context.request.get(`/api/agents/${works}`)).json()) as {
      agent: { status: string }
    }
    expect(agent.status).toBe('stopped')
  },
)
