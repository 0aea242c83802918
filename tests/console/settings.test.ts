import type { BrowserContext } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { findings } from './support/axe.ts'
import { closeBrowser, visit } from './support/browser.ts'
import { agentOf, subscribed } from './support/people.ts'

afterAll(closeBrowser)

/** Enough for a busy machine. */
const wait = { timeout: 60_000 }

async function settings() {
  const { page, context } = await visit()
  await subscribed(context)
  const id = await agentOf(context, 'Rhythm')
  await page.goto(`/agents/${id}/settings`)
  return { page, context, id }
}

const put = (context: BrowserContext, id: string, config: object) =>
  context.request.put(`/api/agents/${id}/config`, { data: { config } })

async function configOf(context: BrowserContext, id: string): Promise<Record<string, unknown>> {
  const answer = await context.request.get(`/api/agents/${id}/config`)
  return ((await answer.json()) as { config: Record<string, unknown> }).config
}

test('changed settings are listed before saving, old to new', async () => {
  const { page, context, id } = await settings()
  await put(context, id, { systemPrompt: 'Be kind.\nBe brief.\nBe right.', sleepAfterMinutes: 30 })
  await page.reload()
  const changes = page.getByRole('region', { name: 'Changes' })
  await page.getByRole('textbox', { name: 'System prompt' }).waitFor()
  expect(await changes.count()).toBe(0)
  await page
    .getByRole('textbox', { name: 'System prompt' })
    .fill('Be kind.\nBe thorough.\nBe right.')
  await page.getByRole('combobox', { name: 'When idle' }).selectOption('It never sleeps')
  expect(await changes.locator('del').allInnerTexts()).toEqual(['Be brief.', '30'])
  expect(await changes.locator('ins').allInnerTexts()).toEqual(['Be thorough.', 'never'])
  expect(await findings(page)).toEqual([])
  expect(await configOf(context, id)).toMatchObject({ sleepAfterMinutes: 30 })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  await expect.poll(() => changes.count(), wait).toBe(0)
  const config = await configOf(context, id)
  expect(config.systemPrompt).toBe('Be kind.\nBe thorough.\nBe right.')
  expect(config).not.toHaveProperty('sleepAfterMinutes')
  const rest = page.getByRole('combobox', { name: 'When idle' })
  expect(await rest.inputValue()).toBe('never')
  await page.reload()
  await rest.waitFor()
  expect(await rest.inputValue()).toBe('never')
  // Turning sleep on again offers the platform's default minutes.
  await rest.selectOption('It goes to sleep')
  await page.getByRole('textbox', { name: 'Sleep after' }).press('Enter')
  await page.getByText('Saved.').waitFor()
  expect(await configOf(context, id)).toMatchObject({ sleepAfterMinutes: 15 })
})

test('an agent sleeps by default, as its settings show, except with a chat service', async () => {
  const { page, context, id } = await settings()
  const minutes = page.getByRole('textbox', { name: 'Sleep after' })
  await minutes.waitFor()
  expect(await minutes.inputValue()).toBe('15')
  await put(context, id, { sleepAfterMinutes: 20, discordBotToken: 'a-token' })
  await page.getByText('It answers on a chat service').waitFor()
  await expect.poll(() => minutes.inputValue(), wait).toBe('20')
  expect(await findings(page)).toEqual([])
})

test('a change from elsewhere is not overwritten silently', async () => {
  const { page, context, id } = await settings()
  const prompt = page.getByRole('textbox', { name: 'System prompt' })
  const save = page.getByRole('button', { name: 'Save' })
  await prompt.fill('Mine.')
  const taken = Promise.withResolvers<void>()
  let isSaving = false
  // The page's own requests are delayed, so that the form learns of the change only by saving.
  await page.route(`**/api/agents/${id}/config`, async (route) => {
    if (!isSaving) await taken.promise
    await route.continue()
  })
  await put(context, id, { systemPrompt: 'Theirs.', sleepAfterMinutes: 45 })
  isSaving = true
  await save.click()
  expect(await page.getByRole('alert').innerText()).toContain(
    'Someone else has saved other settings',
  )
  const conflict = page.getByRole('region', { name: 'Conflicting changes' })
  await conflict.waitFor()
  isSaving = false
  expect(await conflict.locator('del').allInnerTexts()).toEqual(['Theirs.'])
  expect(await conflict.locator('ins').allInnerTexts()).toEqual(['Mine.'])
  expect(await configOf(context, id)).toMatchObject({ systemPrompt: 'Theirs.' })
  expect(await findings(page)).toEqual([])
  await page.getByRole('button', { name: 'Use their changes' }).click()
  await expect.poll(() => prompt.inputValue(), wait).toBe('Theirs.')
  expect(await page.getByRole('textbox', { name: 'Sleep after' }).inputValue()).toBe('45')
  taken.resolve()

  await prompt.fill('Mine again.')
  await put(context, id, { systemPrompt: 'Theirs again.' })
  await save.click()
  await conflict.waitFor()
  await save.click()
  await page.getByText('Saved.').waitFor()
  // Fields that were not edited here keep the other user's values.
  await expect
    .poll(() => configOf(context, id), wait)
    .toMatchObject({ systemPrompt: 'Mine again.', sleepAfterMinutes: 45 })
})

test('a change in another tab is shown in this one, and reported if a field has unsaved text', async () => {
  const { page, context, id } = await settings()
  const prompt = page.getByRole('textbox', { name: 'System prompt' })
  await prompt.waitFor()
  await put(context, id, { systemPrompt: 'From the other tab.' })
  await expect.poll(() => prompt.inputValue(), wait).toBe('From the other tab.')
  await prompt.fill('Mine.')
  await put(context, id, { sleepAfterMinutes: 45 })
  await page.getByText('Someone else has saved other settings').waitFor()
  expect(await prompt.inputValue()).toBe('Mine.')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  expect(await configOf(context, id)).toMatchObject({
    systemPrompt: 'Mine.',
    sleepAfterMinutes: 45,
  })
})

test('the monthly and the daily spend cap of an agent are set and removed, without a restart', async () => {
  const { page, context, id } = await settings()
  const month = page.getByRole('textbox', { name: 'Spend cap in US dollars per month' })
  const day = page.getByRole('textbox', { name: 'Spend cap in US dollars per day' })
  const changes = page.getByRole('region', { name: 'Changes' })
  await day.fill('a lot')
  await day.press('Enter')
  expect(await page.getByRole('alert').innerText()).toContain('cap in US dollars')
  await month.fill('25.50')
  await day.fill('2')
  expect(await changes.locator('ins').allInnerTexts()).toEqual(['25.50', '2'])
  expect(await changes.innerText()).not.toContain('restarts')
  const sent = page.waitForRequest((request) => request.method() === 'PUT')
  await day.press('Enter')
  expect(new URL((await sent).url()).search).toBe('?apply=false')
  await page.getByText('Saved.', { exact: true }).waitFor()
  const caps = { spendCapUsd: 25.5, spendCapUsdPerDay: 2 }
  expect(await configOf(context, id)).toMatchObject(caps)
  await page.reload()
  await day.waitFor()
  expect([await month.inputValue(), await day.inputValue()]).toEqual(['25.5', '2'])
  expect(await findings(page)).toEqual([])
  await day.fill('')
  await page.getByRole('textbox', { name: 'Model' }).fill('local/echo')
  expect(await changes.innerText()).toContain('restarts')
  await day.press('Enter')
  await page.getByText('Saved. The agent restarts to apply it.').waitFor()
  const after = await configOf(context, id)
  expect(after).toMatchObject({ spendCapUsd: 25.5 })
  expect(after.spendCapUsdPerDay ?? null).toBe(null)
})

test('a rejected setting is reported, and nothing changes', async () => {
  const { page, context, id } = await settings()
  const before = await configOf(context, id)
  await page.getByRole('textbox', { name: 'Sleep after' }).fill('soon')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').waitFor()
  expect(await configOf(context, id)).toEqual(before)
})

test('a waiting sender is shown with the code, and may write once approved', async () => {
  const { page, context, id } = await settings()
  await put(context, id, { discordBotToken: 'a-token' })
  const senders = `/api/agents/${id}/channels/discord/senders`
  // Only a message from Discord adds a waiting sender.
  const ann = { id: '34', name: 'Ann', state: 'pending', code: 'ABCD2345' }
  await page.route(`**${senders}`, (route) => route.fulfill({ json: { senders: [ann] } }))
  await page.reload()
  const section = page.getByRole('region', { name: 'Senders of the Discord bot' })
  await section.getByText('Pending, code ABCD2345').waitFor()
  expect(await findings(page)).toEqual([])
  await page.unroute(`**${senders}`)
  await section.getByRole('button', { name: 'Approve', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
  await section.getByText('34 can write to the agent from the agent’s next start.').waitFor()
  await section.getByText('Approved', { exact: true }).waitFor()
  const answer = await context.request.get(senders)
  expect(await answer.json()).toMatchObject({ senders: [{ id: '34', state: 'approved' }] })
  await section.getByRole('textbox', { name: 'Code or sender id' }).fill('56')
  await section.getByRole('button', { name: 'Approve sender' }).click()
  await section.getByText('56 can write to the agent from the agent’s next start.').waitFor()
})
