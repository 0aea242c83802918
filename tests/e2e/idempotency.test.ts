import { describe, expect, it } from 'vitest'
import {
  agentsOf,
  askForAgent,
  call,
  chat,
  historyOf,
  newSubscriber,
  runningAgent,
  stack,
} from '../support/platform.ts'

const keyed = (key: string) => ({ 'idempotency-key': key })

describe('a provisioning with an Idempotency-Key', () => {
  it('is answered again, and says so', async () => {
    const user = await newSubscriber()
    const first = await askForAgent(user, { name: 'One' }, keyed('k'))
    const again = await askForAgent(user, { name: 'One' }, keyed('k'))
    expect([first.status, again.status]).toEqual([201, 201])
    expect(again.body).toEqual(first.body)
    expect(first.headers.get('idempotent-replayed')).toBeNull()
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(await agentsOf(user)).toHaveLength(1)
  })

  it('is refused for another request', async () => {
    const user = await newSubscriber()
    expect((await askForAgent(user, { name: 'One' }, keyed('k'))).status).toBe(201)
    const { status, body } = await askForAgent(user, { name: 'Two' }, keyed('k'))
    expect([status, body.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED'])
    expect(await agentsOf(user)).toHaveLength(1)
  })

  it('makes one agent of twenty requests at once', async () => {
    const user = await newSubscriber('collective')
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => askForAgent(user, { name: 'One' }, keyed('k'))),
    )
    const made = answers.filter(({ status }) => status === 201)
    expect(made.length).toBeGreaterThan(0)
    for (const { body } of made) expect(body).toEqual(made[0]?.body)
    for (const { status, body } of answers.filter((one) => !made.includes(one)))
      expect([status, body.code]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS'])
    expect(await agentsOf(user)).toHaveLength(1)
  })

  it("is not confused with another user's", async () => {
    const [one, other] = await Promise.all([newSubscriber(), newSubscriber()])
    const [mine, theirs] = [
      await askForAgent(one, { name: 'One' }, keyed('k')),
      await askForAgent(other, { name: 'One' }, keyed('k')),
    ]
    expect([mine.status, theirs.status]).toEqual([201, 201])
    expect(theirs.body.agent).not.toEqual(mine.body.agent)
    expect(await agentsOf(other)).toHaveLength(1)
  })

  it('that was refused for a reason that passes may be tried again', async () => {
    const user = await newSubscriber('label')
    expect((await askForAgent(user, { name: 'One' })).status).toBe(201)
    expect((await askForAgent(user, { name: 'Two' }, keyed('k'))).status).toBe(429)
    expect((await askForAgent(user, { name: 'Two' }, keyed('k'))).status).toBe(429)
    expect(await agentsOf(user)).toHaveLength(1)
  })

  it('of more than 255 characters is refused', async () => {
    const user = await newSubscriber()
    const { status } = await askForAgent(user, { name: 'One' }, keyed('k'.repeat(256)))
    expect(status).toBe(400)
    expect(await agentsOf(user)).toEqual([])
  })
})

it('a turn with an Idempotency-Key reaches the agent once', async () => {
  const user = await newSubscriber()
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
