import { afterAll, expect, test } from 'vitest'
import { spansOf } from '../../console/screens/agent/timeline/spans.ts'
import { findings } from './support/axe.ts'
import { closeBrowser, visit } from './support/browser.ts'
import { agentOf, runningAgentOf, subscribed } from './support/people.ts'

afterAll(closeBrowser)

/** Enough for a busy machine. */
const wait = { timeout: 60_000 }

const event = (hour: number, kind: string, text = '') =>
  ({ at: new Date(hour * 3_600_000).toISOString(), kind, text, by: null }) as never

test('an agent’s states follow from its events, without gaps', () => {
  const hours = (...events: never[]) =>
    spansOf(events.toReversed(), 10 * 3_600_000, 20 * 3_600_000).map(
      ({ condition, from, to }) => `${condition} ${from / 3_600_000}-${to / 3_600_000}`,
    )
  expect(hours()).toEqual(['unknown 10-20'])
  expect(
    hours(
      event(8, 'created'),
      event(11, 'configured'),
      event(12, 'crashed'),
      event(13, 'restarted'),
      event(14, 'repaired'),
      event(15, 'stopped', 'It slept after 5 minutes without work'),
      event(16, 'started'),
      event(17, 'stopped', 'It was stopped'),
      event(21, 'started'),
    ),
  ).toEqual([
    'running 10-12',
    'failed 12-13',
    'running 13-15',
    'asleep 15-16',
    'running 16-17',
    'stopped 17-20',
  ])
  expect(hours(event(12, 'started'))).toEqual(['unknown 10-12', 'running 12-20'])
})

test('an agent’s day is a chart with a table of the same data, and its week too', async () => {
  const { page, context } = await visit()
  await subscribed(context)
  const id = await runningAgentOf(context, 'Rhythm')
  await context.request.post(`/api/instance/${id}/stop`, { data: {} })
  await page.goto(`/agents/${id}`)
  const history = page.getByRole('region', { name: 'History' })
  const table = history.getByRole('region', { name: 'Events' })
  await table.getByText('Created', { exact: true }).first().waitFor()
  await expect.poll(() => table.getByText('stopped').count(), wait).toBeGreaterThan(0)
  const picture = history.getByRole('img')
  const rows = () => table.getByRole('row').count()
  // Later events, such as the end of the container, may arrive between the two counts.
  const beside = async () => (await rows()) - (await picture.locator('.timeline-mark').count())
  expect(await picture.getAttribute('aria-label')).toContain(`24 hours: running for`)
  await expect.poll(beside, wait).toBe(1)
  expect(await picture.locator('rect[data-condition=stopped]').count()).toBe(1)
  expect(await findings(page)).toEqual([])
  await history.getByRole('radio', { name: '24 hours' }).focus()
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => picture.getAttribute('aria-label'), wait).toContain('7 days')
  await expect.poll(beside, wait).toBe(1)
})

test('the watchdog’s actions are in both', async () => {
  const { page, context } = await visit({ width: 390, colours: 'dark' })
  await subscribed(context)
  const id = await agentOf(context, 'Rhythm')
  const at = new Date(Date.now() - 3_600_000).toISOString()
  await page.route(`**/api/agents/${id}`, async (route) => {
    const answer = (await (await route.fetch()).json()) as {
      agent: { watchdog: { incidents: object[] } }
    }
    answer.agent.watchdog.incidents.push({
      at,
      cause: 'It did not answer',
      step: 'restarted',
      attempt: 2,
      resolvedAt: null,
    })
    await route.fulfill({ json: answer })
  })
  await page.goto(`/agents/${id}`)
  const history = page.getByRole('region', { name: 'History' })
  await history.getByText('It did not answer: restarted, attempt 2, not resolved').waitFor()
  expect(await history.locator('.timeline-mark[data-kind=watchdog]').count()).toBe(1)
  expect(await findings(page)).toEqual([])
})
