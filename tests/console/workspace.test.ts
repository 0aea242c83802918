import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { findings } from './support/axe.ts'
import { closeBrowser, visit } from './support/browser.ts'
import { agentOf, runningAgentOf, subscribed } from './support/people.ts'

afterAll(closeBrowser)

/** Enough for a busy machine. */
const wait = { timeout: 60_000 }

async function workspace(part: string, { running = false } = {}) {
  const { page, context } = await visit()
  await subscribed(context)
  const id = await (running ? runningAgentOf : agentOf)(context, 'Rhythm')
  await page.goto(`/agents/${id}/workspace`)
  await page.getByRole('radio', { name: part }).check()
  return { page, context, id }
}

const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

async function answer<T>(context: BrowserContext, path: string): Promise<T> {
  return (await (await context.request.get(path)).json()) as T
}

test('a skill is added, tested with input, and removed', async () => {
  const { page, context, id } = await workspace('Skills', { running: true })
  const installed = async () =>
    (await answer<{ installedSkillIds: string[] }>(context, `/api/skills?agentId=${id}`))
      .installedSkillIds
  await page.getByRole('button', { name: 'Add Code review' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('Code review is installed').waitFor()
  expect(await installed()).toEqual(['code-review'])
  expect(await findings(page)).toEqual([])
  await page.reload()
  await page.getByRole('button', { name: 'Try Code review' }).click()
  const run = page.getByRole('button', { name: 'Run Code review' })
  await run.click()
  expect(await page.getByRole('alert').innerText()).toContain('an input for the skill')
  await page.getByRole('textbox', { name: 'Input' }).fill('let x = 1')
  await run.click()
  const reply = page.getByRole('status', { name: 'Answer' })
  await expect.poll(() => reply.innerText(), wait).toContain('let x = 1')
  expect(await findings(page)).toEqual([])
  await section(page, 'Installed').getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('button', { name: 'Add Code review' }).waitFor()
  expect(await installed()).toEqual([])
})

test('restoring a restore point names the loss, and restores the state', async () => {
  const { page, context, id } = await workspace('Restore points', { running: true })
  const note = (key: string) =>
    context.request.post('/api/memory', { data: { agentId: id, memory: { [key]: 'yes' } } })
  const notes = async () =>
    Object.keys((await answer<{ memory: object }>(context, `/api/memory?agentId=${id}`)).memory)
  await note('before')
  await page.getByRole('textbox', { name: 'Name (optional)' }).fill('Monday')
  await page.keyboard.press('Enter')
  const point = page.getByRole('listitem').filter({ hasText: 'Monday' })
  await expect.poll(() => point.innerText(), wait).toMatch(/\d (?:bytes|kB)/)
  expect(await findings(page)).toEqual([])
  await note('after')
  expect((await notes()).toSorted()).toEqual(['after', 'before'])
  await point.getByRole('button', { name: 'Restore' }).click()
  const dialog = page.getByRole('dialog', { name: 'Restore Monday?' })
  expect(await dialog.innerText()).toContain('is lost')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  expect((await notes()).toSorted()).toEqual(['after', 'before'])
  await point.getByRole('button', { name: 'Restore' }).click()
  await dialog.getByRole('button', { name: 'Restore' }).click()
  await page.getByText('Restored Monday').waitFor()
  await expect.poll(notes, wait).toEqual(['before'])
  // The previous state is kept too.
  const restores = page.getByRole('button', { name: 'Restore', exact: true })
  await expect.poll(() => restores.count(), wait).toBe(2)
})

describe('credentials', () => {
  test('credentials of the broker are stored for some hosts, with their last use', async () => {
    const { page, context, id } = await workspace('Credentials')
    await page.route(`**/api/agents/${id}/broker-requests*`, (route) =>
      route.fulfill({
        json: {
          requests: [
            {
              at: new Date().toISOString(),
              name: 'weather',
              method: 'GET',
              host: 'api.example.com',
              status: 503,
              bytes: 12,
            },
          ],
        },
      }),
    )
    const broker = section(page, 'Credentials that the agent cannot read')
    const fill = (name: string, text: string) =>
      broker.getByRole('textbox', { name, exact: true }).fill(text)
    await fill('Name', 'weather')
    await fill('Allowed hosts', 'https://api.example.com')
    await fill('Value', 'hunter2-of-the-weather')
    await broker.getByRole('button', { name: 'Save credential' }).click()
    await broker.getByRole('alert').waitFor()
    expect(await broker.getByRole('listitem').count()).toBe(0)
    await fill('Allowed hosts', 'api.example.com, files.example.com:8443')
    await page.keyboard.press('Enter')
    const item = broker.getByRole('listitem')
    await item.getByText('api.example.com, files.example.com:8443').waitFor()
    await page.reload()
    await expect.poll(() => item.innerText(), wait).toContain('last used just now (GET api.')
    expect(await item.innerText()).toContain('answered 503')
    expect(await page.content()).not.toContain('hunter2')
    expect(await findings(page)).toEqual([])
    await item.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await broker.getByText('None yet').waitFor()
    const path = `/api/agents/${id}/broker-credentials`
    expect(await answer(context, path)).toEqual({ credentials: [] })
  })

  test('credentials of the agent are listed by name, never shown, and deleted', async () => {
    const { page, context, id } = await workspace('Credentials')
    const own = section(page, 'Credentials that the agent reads')
    const fill = (name: string, text: string) => own.getByRole('textbox', { name }).fill(text)
    await fill('Variable', 'PATH')
    await fill('Secret value', 'hunter2-of-the-path')
    await page.keyboard.press('Enter')
    expect(await own.getByRole('alert').innerText()).toContain('not be a variable of the platform')
    await fill('Variable', 'WEATHER_TOKEN')
    await page.keyboard.press('Enter')
    const item = own.getByRole('listitem').filter({ hasText: 'WEATHER_TOKEN' })
    await item.waitFor()
    await page.reload()
    await item.waitFor()
    expect(await page.content()).not.toContain('hunter2')
    await item.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await own.getByText('None yet').waitFor()
    const listed = await answer(context, `/api/agent?action=credentials&agentId=${id}`)
    expect(listed).toEqual({ credentials: [], count: 0 })
  })
})
