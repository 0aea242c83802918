import type { Launched } from '../stack/launch.ts'

const json = { 'content-type': 'application/json' }

/** Creates subscribers with an API key each, through the API. @returns their keys */
export async function signUpCallers(stack: Launched, count: number): Promise<string[]> {
  const keys: string[] = []
  for (let i = 0; i < count; i++) keys.push(await signUpCaller(stack, `bench-${i}@example.com`))
  return keys
}

async function signUpCaller(
  { web, backend, internalKey }: Launched,
  email: string,
): Promise<string> {
  const credentials = { email, password: 'correct horse battery' }
  const browser = { ...json, 'user-agent': 'node' }
  const { id } = (await (await post(`${web}/api/register`, credentials, browser)).json()) as {
    id: string
  }
  const authorization = `Bearer ${internalKey}`
  const plan = { userId: id, plan: 'network', subscriptionId: 'sub_bench' }
  await post(`${backend}/api/subscriptions/deploy`, plan, { ...json, authorization })
  const signedIn = await post(`${web}/api/auth/login`, credentials, browser)
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const made = await post(`${web}/api/keys`, { name: 'bench' }, { ...json, cookie })
  return ((await made.json()) as { key: string }).key
}

async function post(
  url: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<Response> {
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body), headers })
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`)
  return answer
}
