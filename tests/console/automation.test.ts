import { afterAll, describe, expect, test } from 'vitest'
import { cronWords } from '../../console/screens/automation/cron-words.ts'
import { findings } from './support/axe.ts'
import { closeBrowser, visit } from './support/browser.ts'
import { runningAgentOf, signedUp, subscribed } from './support/people.ts'

afterAll(closeBrowser)

describe('a cron expression in words', () => {
  test.each([
    ['* * * * *', 'Every minute'],
    ['*/15 * * * *', 'Every 15 minutes'],
    ['0 * * * *', 'Every hour'],
    ['5 */6 * * *', 'Every 6 hours, 5 minutes past'],
    ['0 9 * * 1-5', 'At 09:00, Monday to Friday'],
    ['30 8,17 * * *', 'At 08:30 and 17:30, every day'],
    ['0 9 * * sat,sun', 'At 09:00, Saturday and Sunday'],
    ['0 0 * * 7', 'At 00:00, Sunday'],
    ['0 0 1 1 *', 'At 00:00, on day 1 of January'],
    ['0 0 1,15 * 1', 'At 00:00, on day 1 and 15 of the month, and on Monday'],
    ['@daily', 'At 00:00, every day'],
    ['0 9 l * *', undefined],
    ['1-3/2 9 * * *', undefined],
    ['not a schedule', undefined],
  ])('%s', (expression, words) => {
    expect(cronWords(expression)).toBe(words)
  })
})

async function withAgents(names: string[]) {
  const { page, context } = await visit()
  await subscribed(context)
  for (const name of names) await runningAgentOf(context, name)
  return { page, context }
}

test('a schedule is created, run at once, changed, disabled and deleted', async () => {
  const { page } = await withAgents(['Rhythm'])
  await page.goto('/automation')
  await page.getByRole('button', { name: 'New schedule' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Morning')
  await page.getByRole('textbox', { name: 'Time zone' }).fill('Europe/London')
  const when = page.getByRole('textbox', { name: 'When' })
  await when.fill('not a time')
  await page.getByText('Invalid cron expression').waitFor()
  await page.getByRole('textbox', { name: 'Prompt' }).fill('What is new?')
  await page.getByRole('button', { name: 'Create schedule' }).click()
  await page.getByRole('alert').waitFor()
  await when.fill('0 9 * * 1-5')
  await page.getByText('At 09:00, Monday to Friday').waitFor()
  const preview = page.getByRole('list', { name: 'Next runs' }).getByRole('listitem')
  await expect.poll(() => preview.count(), { timeout: 60_000 }).toBe(5)
  await when.press('Enter')

  const item = page.getByRole('listitem').filter({ hasText: 'Morning' })
  await item.getByText('At 09:00, Monday to Friday').waitFor()
  const requested = Promise.withResolvers<void>()
  await page.route('**/api/scheduled-tasks/*/run', async (route) => {
    await requested.promise
    await route.continue()
  })
  const run = item.getByRole('button', { name: 'Run now' })
  await run.click()
  await expect.poll(() => run.getAttribute('data-busy')).toBe('true')
  expect(await run.isDisabled()).toBe(true)
  requested.resolve()
  const runs = item.getByRole('list', { name: 'Runs' })
  await runs.getByText('finished').waitFor()
  await runs.getByText('stand-in').waitFor()
  const next = await item.getByRole('list', { name: 'Next runs' }).innerText()
  expect(next).toMatch(/^(?:(?:Mon|Tue|Wed|Thu|Fri).*09:00.*\s*){5}$/)
  expect(await findings(page)).toEqual([])

  await item.getByRole('button', { name: 'Edit' }).click()
  expect(await item.getByRole('textbox', { name: 'Prompt' }).inputValue()).toBe('What is new?')
  await item.getByRole('textbox', { name: 'Name' }).fill('Evening')
  await item.getByRole('button', { name: 'Every hour' }).click()
  await item.getByRole('button', { name: 'Save schedule' }).click()
  const evening = page.getByRole('listitem').filter({ hasText: 'Evening' })
  await evening.getByText('0 * * * *').waitFor()
  await evening.getByRole('button', { name: 'Disable' }).click()
  await evening.getByText('Disabled.').waitFor()
  await evening.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'No schedules yet' }).waitFor()
})

test('a swarm’s answers are shown side by side, each with its agent’s name', async () => {
  const { page } = await withAgents(['Rhythm', 'Blues'])
  await page.goto('/automation')
  await page.getByRole('button', { name: 'New swarm' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Both')
  await page.getByRole('button', { name: 'Create swarm' }).click()
  expect(await page.getByRole('alert').innerText()).toContain('at least one agent')
  await page.getByRole('checkbox', { name: 'Rhythm' }).focus()
  await page.keyboard.press('Space')
  await page.getByRole('checkbox', { name: 'Blues' }).check()
  await page.getByRole('button', { name: 'Create swarm' }).click()
  const swarm = page.getByRole('region', { name: 'Both' })
  await swarm.getByRole('textbox', { name: 'Prompt' }).fill('Who are you?')
  await swarm.getByRole('button', { name: 'Run' }).click()
  for (const name of ['Rhythm', 'Blues'])
    await swarm.getByRole('region', { name, exact: true }).getByText('stand-in').waitFor()
  expect(await findings(page)).toEqual([])
})

test('a user without an agent gets a link to create one', async () => {
  const { page, context } = await visit()
  await signedUp(context)
  await page.goto('/automation')
  await page.getByRole('heading', { name: 'Automation requires an agent' }).waitFor()
  expect(await findings(page)).toEqual([])
})

test('current runs are listed, and cancelled by their button', async () => {
  const { page } = await withAgents(['Rhythm'])
  const cancelled: unknown[] = []
  const run = {
    id: 'run_1',
    kind: 'task',
    agentId: null,
    state: 'active',
    startedAt: null,
    by: null,
  }
  await page.route('**/api/runs?*', (route) =>
    route.fulfill({
      json: { runs: cancelled.length > 0 ? [] : [{ ...run, tokens: null, costUsd: null }] },
    }),
  )
  await page.route('**/api/runs/run_1/cancel', (route) => {
    cancelled.push(route.request().postDataJSON())
    return route.fulfill({ status: 202, json: { id: 'run_1', state: 'cancelling' } })
  })
  await page.goto('/automation')
  await page.getByRole('button', { name: 'Cancel run' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel run' }).click()
  await expect.poll(() => page.getByText('Active runs').count(), { timeout: 60_000 }).toBe(0)
  expect(cancelled).toEqual([{ reason: 'cancelled in the console' }])
})
