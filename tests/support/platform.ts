import { randomUUID } from 'node:crypto'
import { expect, inject, vi } from 'vitest'

/** The stack that all end-to-end tests share. */
export const stack = () => inject('stack')

export interface Answer {
  status: number
  headers: Headers
  // Tests look into answers of every shape; each one asserts the shape that it expects.
  body: Record<string, unknown>
}

interface Call {
  method?: string
  body?: unknown
  headers?: Record<string, string>
}

/** Calls a surface over HTTP with a JSON body and reads a JSON answer. */
export async function call(url: string, { method, body, headers }: Call = {}): Promise<Answer> {
  const answer = await fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    redirect: 'manual',
  })
  const text = await answer.text()
  const parsed: unknown = text === '' ? {} : JSON.parse(text)
  return { status: answer.status, headers: answer.headers, body: parsed as Answer['body'] }
}

export const asInternal = (userId?: string) => ({
  authorization: `Bearer ${stack().internalKey}`,
  ...(userId !== undefined && { 'x-user-id': userId }),
})

export interface TestUser {
  id: string
  email: string
  password: string
  /** Headers that carry the session. */
  session: { cookie: string }
}

/** A new user of the calling test's own, signed in. */
export async function newUser(): Promise<TestUser> {
  const email = `user-${randomUUID()}@example.com`
  const password = 'correct horse battery'
  const registered = await call(`${stack().web}/api/register`, { body: { email, password } })
  expect(registered.status).toBe(200)
  const signedIn = await call(`${stack().web}/api/auth/login`, { body: { email, password } })
  expect(signedIn.status).toBe(200)
  const [cookie = ''] = signedIn.headers.getSetCookie()
  return {
    id: String(registered.body.id),
    email,
    password,
    session: { cookie: cookie.split(';')[0] ?? '' },
  }
}

/** A new user with an active plan. */
export async function newSubscriber(plan = 'solo'): Promise<TestUser> {
  const user = await newUser()
  const { status } = await call(`${stack().backend}/api/subscriptions/deploy`, {
    headers: asInternal(),
    body: { userId: user.id, plan, subscriptionId: `sub_${user.id}` },
  })
  expect(status).toBe(200)
  return user
}

/** Provisions an agent of a user and answers its id at once. */
export async function provision(user: TestUser, name = 'Rhythm'): Promise<string> {
  const answer = await call(`${stack().web}/api/agents/provision`, {
    headers: user.session,
    body: { name },
  })
  expect(answer.status).toBe(201)
  return String((answer.body.agent as { id: string }).id)
}

/** An agent's detail as its owner sees it. */
export async function agentOf(user: TestUser, id: string): Promise<Record<string, unknown>> {
  const { body } = await call(`${stack().web}/api/agents/${id}`, { headers: user.session })
  return body.agent as Record<string, unknown>
}

/** Waits until an agent of a user is in a state. */
export async function untilStatus(user: TestUser, id: string, status: string): Promise<void> {
  await vi.waitFor(async () => expect(await agentOf(user, id)).toMatchObject({ status }), {
    timeout: 20_000,
    interval: 50,
  })
}
