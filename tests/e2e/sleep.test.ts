import { beforeAll, describe, expect, it } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import { readAgent } from '#shared/agents/record/find.ts'
import { eventually } from '../support/clock/eventually.ts'
import { enginesOf } from '../support/stack/engines.ts'
import {
  agentOf,
  call,
  chat,
  historyOf,
  lifecycle,
  newSubscriber,
  runningAgent,
  secretsOf,
  sharedTable,
  stack,
  type TestUser,
  untilStatus,
} from '../support/stack/platform.ts'
import { processesOf } from '../support/stack/processes.ts'

const engines = enginesOf(() => stack().endpoints)
const processes = (id: string) => processesOf(stack().dataDir, id)

async function rowOf(user: TestUser, id: string): Promise<Agent> {
  const row = await readAgent(sharedTable(), { userId: user.id, agentId: id })
  if (row === undefined) throw new Error(`${id} is gone`)
  return row
}

/**
 * Makes the agent's next check due, and waits for it: a check that finds the agent healthy resets earlier failures. The
 * watchdog's own check or tick may run at any moment, so one write sets everything that this check needs.
 */
async function look(user: TestUser, id: string, before: Partial<Agent> = {}): Promise<void> {
  const dueAt = Date.now()
  await changeAgent(
    { table: sharedTable() },
    {
      agent: await rowOf(user, id),
      decide: (agent) => ({
        ...agent,
        ...before,
        watchdog: { ...agent.watchdog, dueAt, failures: 1 },
      }),
    },
  )
  await engines.sendBatch('checks', [{ agents: [{ userId: user.id, agentId: id, dueAt }] }])
  await eventually(async () => expect((await rowOf(user, id)).watchdog.failures).toBe(0))
}

/** Makes an agent look idle for ten minutes, and runs a check. */
async function letIdle(user: TestUser, id: string): Promise<void> {
  // A check may report the agent as running before its own event arrives, which then updates its start time.
  await eventually(async () =>
    expect(await rowOf(user, id)).toMatchObject({ taskHealth: 'HEALTHY' }),
  )
  const longAgo = new Date(Date.now() - 600_000).toISOString()
  await look(user, id, { startedAt: longAgo, lastActiveAt: longAgo, busyUntil: undefined })
}

async function fallAsleep(user: TestUser, id: string): Promise<void> {
  await letIdle(user, id)
  await eventually(() => expect(processes(id)).toEqual([]))
  await eventually(async () => expect(await rowOf(user, id)).toMatchObject({ asleep: true }))
}

async function sleeper(user: TestUser): Promise<string> {
  const id = await runningAgent(user)
  const { status } = await call(`${stack().web}/api/agents/${id}/config?apply=false`, {
    method: 'PUT',
    headers: user.session,
    body: { config: { sleepAfterMinutes: 5 } },
  })
  expect(status).toBe(200)
  return id
}

describe('an agent without work', () => {
  let user: TestUser
  let id: string

  beforeAll(async () => {
    user = await newSubscriber('label')
    id = await sleeper(user)
  })

  it('sleeps: no process, no key, and a status', async () => {
    const { AI_API_KEY } = await secretsOf(processes(id)[0]!)
    await fallAsleep(user, id)
    const agent = await agentOf(user, id)
    expect(agent).toMatchObject({
      status: 'stopped',
      startedAt: null,
      stopReason: { code: 'Asleep', text: 'It slept after 5 minutes without work' },
      watchdog: { state: 'stopped', incidents: [] },
    })
    const models = await call(`${stack().backend}/v1/models`, {
      headers: { authorization: `Bearer ${AI_API_KEY}` },
    })
    expect(models.status).toBe(401)
  })

  it('is woken by the first of two concurrent messages, and answers both', async () => {
    const { generation } = await rowOf(user, id)
    const answers = await Promise.all([
      chat(user, { message: 'Good morning!', agentId: id }),
      chat(user, { message: 'Are you up?' }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(processes(id).map((one) => one.generation)).toEqual([generation + 1])
    const messages = (await historyOf(user, id)).map(({ content }) => content)
    expect(messages).toEqual(expect.arrayContaining(['Good morning!', 'Are you up?']))
    expect(await agentOf(user, id)).toMatchObject({ status: 'running', stopReason: null })
  })

  it('does not sleep right after its owner’s work', async () => {
    expect((await chat(user, { message: 'Stay.', agentId: id })).status).toBe(200)
    await look(user, id)
    expect(await agentOf(user, id)).toMatchObject({ status: 'running' })
    expect((await rowOf(user, id)).busyUntil).toBeGreaterThan(Date.now())
  })

  it('is not woken by a message once a person has stopped it, until a person starts it', async () => {
    await fallAsleep(user, id)
    await lifecycle(user, id, 'stop')
    const refused = await chat(user, { message: 'Hello?', agentId: id })
    expect([refused.status, refused.body.code]).toEqual([409, 'AGENT_NOT_RUNNING'])
    expect(processes(id)).toEqual([])
    await lifecycle(user, id, 'start')
    await untilStatus(user, id, 'running')
    await fallAsleep(user, id)
    expect((await lifecycle(user, id, 'start')).status).toBe(200)
    await untilStatus(user, id, 'running')
    const row = await rowOf(user, id)
    expect([row.asleep, row.waking]).toEqual([undefined, undefined])
  })

  it('streams its first words after it was woken', async () => {
    await fallAsleep(user, id)
    const answer = await fetch(`${stack().web}/api/chat`, {
      method: 'POST',
      headers: { ...user.session, 'content-type': 'application/json' },
      body: JSON.stringify({ message: 'Slowly.', agentId: id, stream: true }),
    })
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('event: done')
  })
})

it('an agent without a sleep setting never sleeps', async () => {
  const user = await newSubscriber('label')
  const id = await runningAgent(user)
  await letIdle(user, id)
  expect(await agentOf(user, id)).toMatchObject({ status: 'running' })
  expect(processes(id)).toHaveLength(1)
})
