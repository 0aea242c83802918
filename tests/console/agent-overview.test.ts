import { afterAll, expect, test } from 'vitest'
import { findings } from './support/axe.ts'
import { closeBrowser, visit } from './support/browser.ts'
import { agentOf, subscribed } from './support/people.ts'

afterAll(closeBrowser)

test('an agent’s page names a token without effect, and the image that a person chose', async () => {
  const { page, context } = await visit()
  await subscribed(context)
  const id = await agentOf(context, 'Swapped')
  await page.goto(`/agents/${id}`)
  await page.getByRole('heading', { name: 'About' }).waitFor()
  expect(await page.getByText('has no effect').count()).toBe(0)
  expect(await page.getByRole('term').allInnerTexts()).not.toContain('Image')

  const config = { whatsappToken: 'a-token' }
  await context.request.put(`/api/agents/${id}/config?apply=false`, { data: { config } })
  const image = 'agent-platform/embedded:latest'
  await context.request.post(`/api/instance/${id}/update`, { data: { image } })
  await page.reload()
  await page.getByText('does not sign in to WhatsApp, so whatsappToken has no effect').waitFor()
  const chosen = page.getByRole('definition').filter({ hasText: image })
  await chosen.getByText(/chosen .* by session/).waitFor()
  expect(await findings(page)).toEqual([])
})
