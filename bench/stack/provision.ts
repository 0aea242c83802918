import { setTimeout as wait } from 'node:timers/promises'
import type { Launched } from './launch.ts'

const json = { 'content-type': 'application/json' }

/** Creates a user with a plan of a hundred agents. Returns the session's cookie. */
export async function signUp({ web, backend, internalKey }: Launched): Promise<{ cookie: string }> {
  const body = JSON.stringify({ email: 'bench@example.com', password: 'correct horse battery' })
  const headers = { ...json, 'user-agent': 'node' }
  const { id } = (await read(await fetch(`${web}/api/register`, post(body, headers)))) as {
    id: string
  }
  const plan = JSON.stringify({ userId: id, plan: 'network', subscriptionId: 'sub_bench' })
  const authorization = `Bearer ${internalKey}`
  await read(
    await fetch(`${backend}/api/subscriptions/deploy`, post(plan, { ...json, authorization })),
  )
  const signedIn = await fetch(`${web}/api/auth/login`, post(body, headers))
  return { cookie: signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '' }
}

/** Returns the milliseconds from creating an agent until it runs. */
export async function provisionOnce(
  { web }: Launched,
  session: { cookie: string },
  name: string,
): Promise<number> {
  const started = performance.now()
  const body = JSON.stringify({ name })
  const answer = (await read(
    await fetch(`${web}/api/agents/provision`, post(body, { ...json, ...session })),
  )) as { agent: { id: string } }
  for (;;) {
    const seen = (await read(
      await fetch(`${web}/api/agents/${answer.agent.id}`, { headers: session }),
    )) as { agent: { status: string } }
    if (seen.agent.status === 'running') return performance.now() - started
    if (seen.agent.status === 'error') throw new Error('the agent did not start')
    await wait(10)
  }
}

function post(body: string, headers: Record<string, string>) {
  return { method: 'POST', body, headers }
}

async function read(answer: Response): Promise<unknown> {
  if (!answer.ok) throw new Error(`${answer.url} answered ${answer.status}: ${await answer.text()}`)
  return answer.json()
}
