import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, expect, inject, test } from 'vitest'
import { closeBrowser, visit } from './support/browser.ts'
import { password } from './support/people.ts'

afterAll(closeBrowser)

/** Enough for a busy machine. */
const wait = { timeout: 60_000 }

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const open = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click()
const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true }).click()
const fill = (page: Page, name: string, text: string) =>
  page.getByRole('textbox', { name, exact: true }).fill(text)

/** Each page is reached by a control of the page before it. */
test.each([1280, 390])(
  'a new user pays, gets an answer, a memory, a schedule, a policy, a mandate, the log, the cost and a key, at %i pixels',
  async (width) => {
    const { page } = await visit({ width }, [new URL(inject('stack').checkout).origin])
    // A phone's bar has a last button for the entries that do not fit.
    const reach = async (name: string) => {
      if (width > 800) return open(page, name)
      await press(page, 'More')
      await page.getByRole('combobox', { name: 'Page or agent' }).fill(name)
      await page.getByRole('option', { name }).first().click()
    }

    await page.goto('/')
    await page.getByRole('link', { name: 'Create an account' }).click()
    await fill(page, 'Name', 'Ada')
    await fill(page, 'Email', `${randomUUID()}@example.com`)
    await fill(page, 'Password', password)
    await press(page, 'Create account')
    await press(page, 'Choose Collective')
    await press(page, 'Pay')

    await fill(page, 'Name', 'Rhythm')
    await page.getByRole('combobox', { name: 'Model' }).selectOption('local/echo')
    await press(page, 'Create agent')
    await fill(page, 'Message', 'What is two and two?')
    await page.keyboard.press('Enter')
    await press(page, 'Copy answer')
    const conversation = page.getByRole('log', { name: 'Conversation' })
    expect(await conversation.locator('[data-from=agent]').innerText()).toContain('two and two')
    const took = conversation.locator('.turn-end')
    await expect.poll(() => took.innerText()).toMatch(/\d tokens\s+\$\d/)

    await tab(page, 'Workspace')
    await fill(page, 'Note name', 'tone')
    await fill(page, 'Note', 'Short and warm.')
    await press(page, 'Add note')
    await page.getByRole('listitem').getByText('Short and warm.').waitFor()
    // The emptied form keeps the focus, for people who use the keyboard.
    await expect
      .poll(() =>
        page.getByLabel('Note name').evaluate((one) => one === one.ownerDocument.activeElement),
      )
      .toBe(true)

    await tab(page, 'Schedules')
    await press(page, 'New schedule')
    await fill(page, 'Name', 'Morning')
    await fill(page, 'Prompt', 'What changed since yesterday?')
    await press(page, 'Weekdays at 09:00')
    await press(page, 'Create schedule')
    const schedule = page.getByRole('listitem').filter({ hasText: 'Morning' })
    await schedule.getByText(/, next /).waitFor()
    await schedule.getByRole('button', { name: 'Run now' }).click()
    await schedule.getByRole('list', { name: 'Runs' }).getByText('finished').waitFor()

    await tab(page, 'Policy')
    await page.getByRole('radio', { name: 'guarded' }).check()
    await press(page, 'Save policy')
    await page.getByRole('status').getByText('Saved.').waitFor()

    await tab(page, 'Payments')
    await press(page, 'Set mandate')
    await fill(page, 'Largest payment', '0.05')
    await fill(page, 'Per day', '1')
    await fill(page, 'Per month', '10')
    await press(page, 'Save mandate')
    await page.getByText('$0.00 of $1.00 used').waitFor()
    await press(page, 'Create wallet')
    await press(page, 'Copy address')

    await tab(page, 'Logs')
    const log = page.getByRole('log', { name: 'Log' })
    await log.getByText('POST /v1/chat/completions 200').first().waitFor()

    // The agent has the size of the plan's card.
    await tab(page, 'Overview')
    await page.getByRole('definition').getByText('Collective', { exact: true }).waitFor()

    await reach('Usage')
    const agents = page.getByRole('region', { name: 'By agent', exact: true })
    await expect.poll(() => agents.innerText(), wait).toMatch(/Rhythm[\s\S]*\$0\.00/)

    await reach('Keys')
    await press(page, 'New key')
    await fill(page, 'Name', 'Laptop')
    await press(page, 'Create key')
    const key = await page.getByRole('textbox', { name: 'Your new key' }).inputValue()
    const answer = await fetch(`${inject('stack').web}/api/agents`, {
      headers: { authorization: `Bearer ${key}` },
    })
    expect(((await answer.json()) as { agents: { name: string }[] }).agents).toEqual([
      expect.objectContaining({ name: 'Rhythm' }),
    ])
  },
)
