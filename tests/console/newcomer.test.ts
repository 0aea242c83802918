import { randomUUID } from 'node:crypto'
import { afterAll, expect, inject, test } from 'vitest'
import { closeBrowser, visit } from './support/browser.ts'

afterAll(closeBrowser)

test('a new user needs only the browser to sign up and to get an agent’s first words', async () => {
  const { page } = await visit({}, [new URL(inject('stack').checkout).origin])
  await page.goto('/')
  await page.getByRole('link', { name: 'Create an account' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Ada')
  await page.getByRole('textbox', { name: 'Email' }).fill(`${randomUUID()}@example.com`)
  await page.getByRole('textbox', { name: 'Password' }).fill('correct horse battery')
  await page.getByRole('button', { name: 'Create account' }).click()

  await page.waitForURL('**/welcome')
  await page.getByRole('button', { name: 'Choose Solo' }).click()
  await page.getByRole('button', { name: 'Decline' }).click()
  await page.waitForURL('**/welcome?checkout=cancelled')
  await page.getByRole('button', { name: 'Choose Solo' }).click()
  await page.getByRole('button', { name: 'Pay' }).click()
  await page.waitForURL('**/welcome?checkout=success')

  await page.getByRole('textbox', { name: 'Name' }).fill('Rhythm')
  await page.getByRole('combobox', { name: 'Model' }).selectOption('local/echo')
  await page.getByRole('button', { name: 'Create agent' }).click()
  await page.getByRole('textbox', { name: 'Message' }).fill('What is two and two?')
  await page.keyboard.press('Enter')
  const conversation = page.getByRole('log', { name: 'Conversation' })
  await conversation.getByText('What is two and two?').first().waitFor()
  await conversation.locator('[data-from=agent]').waitFor()
  await page.getByRole('button', { name: 'Send' }).waitFor()
  await expect
    .poll(() => conversation.locator('[data-from=agent]').innerText(), { timeout: 60_000 })
    .toContain('stand-in')
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Rhythm')
  expect(await page.title()).toBe('Chat · Rhythm · Agent Platform')
})
