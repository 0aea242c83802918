import { randomUUID } from 'node:crypto'
import type { BrowserContext } from 'playwright-core'

/**
 * Goes from registration to an agent's first reply as fast as the pages allow.
 * @returns the duration in milliseconds, and the agent's id
 */
export async function newcomer(context: BrowserContext): Promise<{ ms: number; agentId: string }> {
  const page = await context.newPage()
  const started = performance.now()
  await page.goto('/register')
  await page.getByRole('textbox', { name: 'Name' }).fill('Ada')
  await page.getByRole('textbox', { name: 'Email' }).fill(`${randomUUID()}@example.com`)
  await page.getByRole('textbox', { name: 'Password' }).fill('correct horse battery')
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('button', { name: 'Choose Solo' }).click()
  await page.getByRole('button', { name: 'Pay' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Rhythm')
  await page.getByRole('combobox', { name: 'Model' }).selectOption('local/echo')
  await page.getByRole('button', { name: 'Create agent' }).click()
  await page.getByRole('textbox', { name: 'Message' }).fill('What is two and two?')
  await page.keyboard.press('Enter')
  await page.getByRole('log', { name: 'Conversation' }).locator('[data-from=agent]').waitFor()
  const ms = performance.now() - started
  await page.getByRole('button', { name: 'Copy answer' }).waitFor()
  const agentId = new URL(page.url()).pathname.split('/')[2] ?? ''
  await page.close()
  return { ms, agentId }
}
