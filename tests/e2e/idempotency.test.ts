import { beforeAll, describe, expect, it } from 'vitest'
import {
  agentsOf,
  askForAgent,
  call,
  chat,
  historyOf,
  newSubscriber,
  runningAgent,
  stack,
  subscribe,
  type TestUser,
} from '../support/stack/platform.ts'

const keyed = (key: string) => ({ 'idempotency-key': key })

let user: TestUser
let other: TestUser

beforeAll(async () => {
  ;[user, other] = await Promise.all([newSubscriber('collective'), newSubscriber('label')])
})

describe('a provisioning with an Idempotency-Key', () => {
  it('is returned again, and marked as a repeat', async () => {
    const first = await askForAgent(user, { name: 'One' }, keyed('first'))
    const again = await askForAgent(user, { name: 'One' }, keyed('first'))
    expect([first.status, again.status]).toEqual([201, 201])
    expect(again.body).toEqual(first.body)
    expect(first.headers.get('idempotent-replayed')).toBeNull()
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(await agentsOf(user)).toHaveLength(1)
  })

  it('is rejected for another request', async () => {
    const { status, body } = await askForAgent(user, { name: 'Two' }, keyed('first'))
    expect([status, body.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED'])
    expect(await agentsOf(user)).toHaveLength(1)
  })

  it('creates one agent for twenty concurrent requests', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => askForAgent(user, { name: 'One' }, keyed('second'))),
    )
    const made = answers.filter(({ status }) => status === 201)
    expect(made.length).toBeGreaterThan(0)
    for (const { body } of made) expect(body).toEqual(made[0]?.body)
    for (const { status, body } of answers.filter((one) => !made.includes(one)))
      expect([status, body.code]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS'])
    expect(await agentsOf(user)).toHaveLength(2)
  })

  it("is separate from another user's", async () => {
    const mine = await askForAgent(user, { name: 'One' }, keyed('first'))
    const theirs = await askForAgent(other, { name: 'One' }, keyed('first'))
    expect(theirs.status).toBe(201)
    expect(theirs.body.agent).not.toEqual(mine.body.agent)
    expect(await agentsOf(other)).toHaveLength(1)
  })

  it('a provisioning with an Idempotency-Key that was rejected for a temporary reason is processed again', async () => {
    const refused = await askForAgent(other, { name: 'Two' }, keyed('second'))
    expect(refused.status).toBe(429)
    await subscribe(other.id, 'solo')
    expect((await askForAgent(other, { name: 'Two' }, keyed('second'))).status).toBe(201)
    expect(await agentsOf(other)).toHaveLength(2)
  })

  it('a provisioning with an Idempotency-Key of more than 255 characters is rejected', async () => {
    const { status } = await askForAgent(user, { name: 'One' }, keyed('k'.repeat(256)))
    expect(status).toBe(400)
  })
})

it('a turn with an Idempotency-Key reaches the agent once', async () => {
  const agentId = await runningAgent(user)
  const say = () =>
    call(`${stack().web}/api/chat`, {
      headers: { ...user.session, ...keyed('turn') },
      body: { message: 'Once only.', agentId },
    })
  const first = await say()
  const again = await say()
  expect([first.status, again.status]).toEqual([200, 200])
  expect(again.body).toEqual(first.body)
  expect(await historyOf(user, agentId)).toHaveLength(2)
  expect((await chat(user, { message: 'Once more.', agentId })).status).toBe(200)
  expect(await historyOf(user, agentId)).toHaveLength(4)
})
