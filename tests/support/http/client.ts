import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { type NewKey, Platform } from '../../../clients/typescript/index.ts'
import { eventually } from '../clock/eventually.ts'

export interface Answer {
  status: number
  headers: Headers
  // Tests read responses of every shape; each test asserts the shape that it expects.
  body: Record<string, unknown>
}

interface Call {
  method?: string
  body?: unknown
  headers?: Record<string, string>
}

/** Sends a request with a JSON body and reads a JSON response. */
export async function call(url: string, { method, body, headers }: Call = {}): Promise<Answer> {
  const answer = await fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    redirect: 'manual',
  })
  const text = await answer.text()
  const isLines = answer.headers.get('content-type')?.startsWith('application/x-ndjson')
  const parsed: unknown = text === '' ? {} : isLines ? { text } : JSON.parse(text)
  return { status: answer.status, headers: answer.headers, body: parsed as Answer['body'] }
}

export interface TestUser {
  id: string
  email: string
  password: string
  session: { cookie: string }
}

const newEmail = () => `user-${randomUUID()}@example.com`

/** The addresses of a stack's surfaces, and the internal key of its backend. */
export interface Surfaces {
  web: string
  backend: string
  internalKey: string
}

/** Creates users without slow password hashes, for tests with access to the stack's table. */
export interface Shortcuts {
  /** Registers a user. @returns the user's id */
  insertUser?(given: Pick<TestUser, 'email' | 'password'>): Promise<string>
  /** Creates a session without a sign-in. */
  beginSession?(userId: string): Promise<TestUser['session']>
}

/** Returns the actions of users and trusted callers on a stack. */
export function clientOf(
  stack: () => Surfaces,
  { insertUser = registerAt(stack), beginSession }: Shortcuts = {},
) {
  const asInternal = (userId?: string) => ({
    authorization: `Bearer ${stack().internalKey}`,
    ...(userId !== undefined && { 'x-user-id': userId }),
  })

  async function signIn(email: string, password: string): Promise<{ cookie: string }> {
    const signedIn = await call(`${stack().web}/api/auth/login`, { body: { email, password } })
    expect(signedIn.status).toBe(200)
    const [cookie = ''] = signedIn.headers.getSetCookie()
    return { cookie: cookie.split(';')[0] ?? '' }
  }

  async function register(email: string): Promise<Omit<TestUser, 'session'>> {
    const password = `correct horse ${randomUUID()}`
    return { id: await insertUser({ email, password }), email, password }
  }

  /** Creates a signed-in user for one test. */
  async function newUser(email = newEmail()): Promise<TestUser> {
    const user = await register(email)
    return { ...user, session: await signIn(email, user.password) }
  }

  async function subscribe(userId: string, plan: string, status = 'active'): Promise<void> {
    const { status: code } = await call(`${stack().backend}/api/subscriptions/deploy`, {
      headers: asInternal(),
      body: { userId, plan, status, subscriptionId: `sub_${userId}` },
    })
    expect(code).toBe(200)
  }

  /** Creates a user for one test, with an active plan and a session. */
  async function newSubscriber(plan = 'solo'): Promise<TestUser> {
    const user = await register(newEmail())
    await subscribe(user.id, plan)
    const session = (await beginSession?.(user.id)) ?? (await signIn(user.email, user.password))
    return { ...user, session }
  }

  /** Returns the web surface's client for a signed-in user, without retries. */
  const platformOf = ({ session }: TestUser) =>
    new Platform({ baseUrl: stack().web, headers: session, maxRetries: 0 })

  /** Requests an agent, and accepts any response. */
  function askForAgent(
    user: TestUser,
    body: Record<string, unknown> = { name: 'Rhythm' },
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const url = `${stack().web}/api/agents/provision`
    return call(url, { headers: { ...user.session, ...headers }, body })
  }

  /**
   * Provisions an agent of a user.
   * @returns its id, without waiting until it runs
   */
  async function provision(user: TestUser, name = 'Rhythm'): Promise<string> {
    return (await platformOf(user).agents.create({ name })).id
  }

  /** Returns a user's agents as the web surface lists them. */
  const agentsOf = (user: TestUser) => platformOf(user).agents.list()

  /** Returns an agent's detail as its owner sees it. */
  const agentOf = (user: TestUser, id: string) => platformOf(user).agents.get(id)

  /** Creates an API key of a user; default: all scopes except `admin`. */
  async function keyOf(user: TestUser, scopes?: NewKey['scopes']): Promise<string> {
    return (await platformOf(user).keys.create({ name: 'test', scopes })).key
  }

  async function untilStatus(user: TestUser, id: string, status: string): Promise<void> {
    await eventually(async () => expect(await agentOf(user, id)).toMatchObject({ status }))
  }

  /** Creates an agent of a user, and waits until it runs. */
  async function runningAgent(user: TestUser, name?: string): Promise<string> {
    const id = await provision(user, name)
    await untilStatus(user, id, 'running')
    return id
  }

  /** Starts, stops, restarts or repairs an agent as a trusted caller on behalf of its owner. */
  function lifecycle(user: TestUser, id: string, verb: string): Promise<Answer> {
    const url = `${stack().backend}/api/agents/${id}/${verb}`
    return call(url, { method: 'POST', headers: asInternal(user.id) })
  }

  function chat(user: TestUser, body: Record<string, unknown>): Promise<Answer> {
    return call(`${stack().web}/api/chat`, { headers: user.session, body })
  }

  /** Returns the messages between a user and an agent, oldest first. */
  const historyOf = (user: TestUser, agentId: string) => platformOf(user).chat.history({ agentId })

  return {
    asInternal,
    platformOf,
    signIn,
    newUser,
    subscribe,
    newSubscriber,
    askForAgent,
    provision,
    agentsOf,
    agentOf,
    untilStatus,
    runningAgent,
    lifecycle,
    chat,
    historyOf,
    keyOf,
  }
}

function registerAt(stack: () => Surfaces): NonNullable<Shortcuts['insertUser']> {
  return async (body) => {
    const registered = await call(`${stack().web}/api/register`, { body })
    expect(registered.status).toBe(200)
    return String(registered.body.id)
  }
}
