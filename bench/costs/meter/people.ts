import { edgeAddressProof } from '#shared/http/client-address.ts'
import { type MeteredStack, originSecret } from './platform.ts'

interface Answer {
  status: number
  headers: Headers
  text: string
}

interface Caller {
  method?: string
  headers?: Record<string, string>
  body?: unknown
}

let calls = 0

/** Sends a request as if through the edge, each from its own address, so that limits count it but never refuse it. */
export async function request(
  url: string,
  { method, headers, body }: Caller = {},
): Promise<Answer> {
  const address = `10.${(++calls >> 16) & 255}.${(calls >> 8) & 255}.${calls & 255}`
  const payload = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const answer = await fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    redirect: 'manual',
    signal: AbortSignal.timeout(60_000),
    headers: {
      'x-viewer-ip': address,
      'x-viewer-ip-proof': await edgeAddressProof(originSecret),
      'x-origin-secret': originSecret,
      'user-agent': 'node',
      ...(payload !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(payload !== undefined && { body: payload }),
  })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

/** Sends a request that must succeed. @returns its JSON */
export async function asked(url: string, caller: Caller = {}): Promise<Record<string, unknown>> {
  const { status, text } = await request(url, caller)
  if (status >= 300) throw new Error(`${url} answered ${status}: ${text}`)
  return JSON.parse(text) as Record<string, unknown>
}

export interface Person {
  id: string
  session: { cookie: string }
  key: string
}

const password = 'correct horse battery'

/** Creates a subscriber with a session and a key. @param name becomes the email address; all names have the same length */
export async function newPerson(
  { stack, secrets }: MeteredStack,
  name: string,
  plan: string,
): Promise<Person> {
  const email = `${name}@example.com`
  const { web, backend } = stack.urls
  const { id } = await asked(`${web}/api/register`, { body: { email, password } })
  const headers = { authorization: `Bearer ${secrets['INTERNAL_API_KEY']}` }
  const body = { userId: id, plan, subscriptionId: `sub_${name}` }
  await asked(`${backend}/api/subscriptions/deploy`, { headers, body })
  const session = await signIn(web, email)
  const made = await asked(`${web}/api/keys`, { headers: session, body: { name: 'meter' } })
  return { id: String(id), session, key: String(made['key']) }
}

async function signIn(web: string, email: string): Promise<{ cookie: string }> {
  const { headers } = await request(`${web}/api/auth/login`, { body: { email, password } })
  return { cookie: headers.getSetCookie()[0]?.split(';')[0] ?? '' }
}
