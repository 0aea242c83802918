import { randomUUID } from 'node:crypto'
import type { BrowserContext } from 'playwright-core'
import { inject } from 'vitest'

export const password = 'correct horse battery'

export interface Person {
  email: string
  id: string
}

/** An account, signed in within the browser's window without its pages. */
export async function signedUp(context: BrowserContext, name = 'Ada'): Promise<Person> {
  const email = `${randomUUID()}@example.com`
  const registered = await context.request.post('/api/register', {
    data: { name, email, password },
  })
  if (!registered.ok()) throw new Error(await registered.text())
  const { id } = (await registered.json()) as { id: string }
  const login = await context.request.post('/api/auth/login', { data: { email, password } })
  if (!login.ok()) throw new Error(await login.text())
  return { email, id }
}

/** The same with a plan. */
export async function subscribed(context: BrowserContext, name?: string): Promise<Person> {
  const person = await signedUp(context, name)
  const { backend, internalKey } = inject('stack')
  const answer = await fetch(`${backend}/api/subscriptions/deploy`, {
    method: 'POST',
    headers: { authorization: `Bearer ${internalKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ email: person.email, plan: 'solo', subscriptionId: randomUUID() }),
  })
  if (!answer.ok) throw new Error(await answer.text())
  return person
}

/** An agent of the person who is signed in. @returns its id */
export async function agentOf(context: BrowserContext, name: string): Promise<string> {
  const answer = await context.request.post('/api/agents/provision', { data: { name } })
  if (!answer.ok()) throw new Error(await answer.text())
  return ((await answer.json()) as { agent: { id: string } }).agent.id
}
