import { randomUUID } from 'node:crypto'
import type { BrowserContext, Page } from 'playwright-core'
import { expect, inject } from 'vitest'
import { insertUser } from '#tests/support/accounts/new-user.ts'
import { sharedTable } from '#tests/support/stack/platform.ts'

export const password = 'correct horse battery'

export interface Person {
  email: string
  id: string
}

/** Creates an account, signed in within the browser's window, without using its pages. */
export async function signedUp(context: BrowserContext, name = 'Ada'): Promise<Person> {
  const email = `${randomUUID()}@example.com`
  const id = await insertUser(sharedTable(), { name, email, password })
  const login = await context.request.post('/api/auth/login', { data: { email, password } })
  if (!login.ok()) throw new Error(await login.text())
  return { email, id }
}

/** Signs in on the sign-in page. */
export async function signIn(page: Page, email: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Email' }).fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.keyboard.press('Enter')
}

/** Creates an account with a plan. */
export async function subscribed(
  context: BrowserContext,
  name?: string,
  plan: 'solo' | 'collective' | 'network' = 'solo',
): Promise<Person> {
  const person = await signedUp(context, name)
  const { backend, internalKey } = inject('stack')
  const answer = await fetch(`${backend}/api/subscriptions/deploy`, {
    method: 'POST',
    headers: { authorization: `Bearer ${internalKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ email: person.email, plan, subscriptionId: randomUUID() }),
  })
  if (!answer.ok) throw new Error(await answer.text())
  return person
}

/**
 * Creates an agent of the signed-in user.
 * @param tier its size; default: the smallest
 * @returns its id
 */
export async function agentOf(
  context: BrowserContext,
  name: string,
  tier?: string,
): Promise<string> {
  const answer = await context.request.post('/api/agents/provision', { data: { name, tier } })
  if (!answer.ok()) throw new Error(await answer.text())
  return ((await answer.json()) as { agent: { id: string } }).agent.id
}

/** Creates an agent, and waits until it runs. */
export async function runningAgentOf(
  context: BrowserContext,
  name: string,
  tier?: string,
): Promise<string> {
  const id = await agentOf(context, name, tier)
  await expect
    .poll(
      async () => {
        const answer = await context.request.get(`/api/agents/${id}`)
        return ((await answer.json()) as { agent: { status: string } }).agent.status
      },
      { timeout: 60_000 },
    )
    .toBe('running')
  return id
}
