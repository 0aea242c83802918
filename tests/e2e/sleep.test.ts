import { beforeAll, describe, expect, it } from 'vitest'
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
import { sleepOf } from '../support/stack/sleep.ts'

const { rowOf, look, letIdle, fallAsleep } = sleepOf(stack, sharedTable)
const processes = (id: string) => processesOf(stack().dataDir, id)

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
