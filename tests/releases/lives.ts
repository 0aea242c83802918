import { expect } from 'vitest'
import type { checkoutOf } from '../support/billing/checkout.ts'
import { eventually } from '../support/clock/eventually.ts'
import { call, type clientOf, type Surfaces, type TestUser } from '../support/http/client.ts'

export interface World {
  stack: () => Surfaces
  client: ReturnType<typeof clientOf>
  checkout: ReturnType<typeof checkoutOf>
}

/** A user with data of every kind that is stored in rows and sent in messages. */
export interface Life {
  user: TestUser
  agentId: string
  taskId: string
  key: string
  /** The user's messages to the agent so far. */
  said: string[]
}

/** Pays for a plan, creates an agent, chats with it, and schedules work for it. */
export async function beginLife(
  { client, checkout, ...world }: World,
  name: string,
): Promise<Life> {
  const user = await client.newUser()
  await checkout.press(await checkout.ask(user, { action: 'create-checkout', plan: 'solo' }), 'pay')
  await eventually(async () =>
    expect(await checkout.billing(user)).toMatchObject({ currentPlan: 'solo' }),
  )
  const agentId = await client.runningAgent(user, name)
  const platform = client.platformOf(user)
  await platform.memory.set(agentId, 'likes', 'tea')
  const { id: taskId } = await platform.tasks.create({
    agentId,
    name: 'daily',
    prompt: 'Describe the new release',
    cronSchedule: '0 3 * * *',
  })
  const life = { user, agentId, taskId, key: await client.keyOf(user), said: [] }
  await continueLife({ client, checkout, ...world }, life, `begun by ${name}`)
  return life
}

/** Performs the user's daily actions on data of any release. */
export async function continueLife(
  { stack, client }: World,
  life: Life,
  message: string,
): Promise<void> {
  const { user, agentId, taskId, key } = life
  const platform = client.platformOf(user)
  await client.untilStatus(user, agentId, 'running')
  const { status, body } = await client.chat(user, { agentId, message })
  expect([status, body.reply]).toEqual([200, expect.stringContaining(message)])
  life.said.push(message)

  const { runId } = await platform.tasks.run(taskId)
  await eventually(async () => {
    const runs = await platform.tasks.runs(taskId)
    expect(runs.find(({ id }) => id === runId)).toMatchObject({ status: 'finished' })
  })

  const request = await call(`${stack().backend}/v1/chat/completions`, {
    headers: { authorization: `Bearer ${key}` },
    body: { model: 'local/echo', messages: [{ role: 'user', content: message }] },
  })
  expect(request.status).toBe(200)

  const snapshot = await platform.agents.snapshots.create(agentId, { name: message })
  await eventually(async () => {
    const stored = await platform.agents.snapshots.list(agentId)
    expect(stored.map(({ id }) => id)).toContain(snapshot.id)
  })

  expect((await client.lifecycle(user, agentId, 'stop')).status).toBe(200)
  await client.untilStatus(user, agentId, 'stopped')
  expect((await client.lifecycle(user, agentId, 'start')).status).toBe(200)
  await client.untilStatus(user, agentId, 'running')
}

/** Signs in again and checks all of the user's data, of any release. */
export async function find({ client, checkout }: World, life: Life): Promise<void> {
  const { agentId, taskId, said } = life
  const user = { ...life.user, session: await client.signIn(life.user.email, life.user.password) }
  const platform = client.platformOf(user)
  expect(await checkout.billing(user)).toMatchObject({
    currentPlan: 'solo',
    subscriptionStatus: 'active',
  })
  expect((await client.agentsOf(user)).map(({ id }) => id)).toEqual([agentId])
  const words = (await client.historyOf(user, agentId)).filter(({ sender }) => sender === 'user')
  expect(words.map(({ content }) => content).filter((text) => said.includes(text))).toEqual(said)
  expect((await platform.tasks.list()).map(({ id }) => id)).toEqual([taskId])
  expect(await platform.tasks.runs(taskId)).toHaveLength(said.length)
  expect((await platform.keys.list()).map(({ name }) => name)).toEqual(['test'])
  const points = (await platform.agents.snapshots.list(agentId)).map(({ name }) => name)
  // The platform creates some restore points itself.
  expect(points.filter((point) => point !== null && said.includes(point))).toEqual(
    said.toReversed(),
  )
  const calls = (await platform.usage.daily()).reduce((sum, { turns }) => sum + turns, 0)
  expect(calls).toBeGreaterThanOrEqual(said.length)
  expect((await platform.memory.get(agentId)).memory).toMatchObject({ likes: 'tea' })
  for (const read of [
    () => platform.agents.events(agentId),
    () => platform.runs.list(),
    () => platform.fleet.costs(),
    () => platform.fleet.traces(),
  ])
    await read()
}
