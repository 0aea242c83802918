import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { storeMessage } from '#shared/conversations/chat/message.ts'
import { dayOf } from '#shared/platform/days.ts'
import { newSeed } from '#shared/platform/ids.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { day, startUsage, type Usage } from '#tests/support/ai/usage.ts'
import { fromMidMonth } from '#tests/support/clock/time.ts'

fromMidMonth()

let usage: Usage

beforeAll(async () => {
  usage = await startUsage()
})
afterAll(() => usage.close())

async function say(userId: string, agentId: string, sender: 'user' | 'agent', daysAgo = 0) {
  const message = { agentId, sender, content: 'x', topic: undefined, platform: 'web' }
  await storeMessage(userStore(usage.table, userId), {
    message,
    seed: newSeed(Date.now() - daysAgo * day),
  })
}

const midnight = (daysAgo: number) => `${dayOf(Date.now() - daysAgo * day)}T00:00:00.000Z`

async function busyUser() {
  const userId = usage.newUserId()
  const [running] = await Promise.all([
    usage.agentOf(userId),
    usage.agentOf(userId, { status: 'stopped' }),
    usage.agentOf(userId, { status: 'error' }),
  ])
  const { id } = running
  await say(userId, id, 'user')
  await say(userId, id, 'agent')
  await say(userId, id, 'user', 1)
  await say(userId, id, 'user', 400)
  await usage.completed(userId, { agentId: id, costUsd: 0.5, durationMs: 100 })
  await usage.completed(userId, { agentId: id, costUsd: null, durationMs: 300, success: false })
  await usage.completed(userId, { agentId: id, costUsd: 2, durationMs: 800, daysAgo: 10 })
  return userId
}

describe('GET /api/metrics/:userId', () => {
  it('/historical returns every day of a range, and their average', async () => {
    const userId = await busyUser()
    const show = async (query = '') =>
      (await usage.show(`/api/metrics/${userId}/historical${query}`))[1]
    const none = { messages: 0, tokens: 0, cost: 0, errors: 0 }
    const week = await show()
    const points = week.metrics as object[]
    expect(week).toMatchObject({ userId, timeRange: '7d' })
    expect(points).toHaveLength(7)
    expect(points[0]).toEqual({ timestamp: midnight(6), ...none })
    expect(points[5]).toEqual({ timestamp: midnight(1), ...none, messages: 1 })
    expect(points[6]).toEqual({
      timestamp: midnight(0),
      messages: 2,
      tokens: 220,
      cost: 0.5,
      errors: 1,
    })
    expect(week.averages).toEqual({
      messages: 3 / 7,
      tokens: 220 / 7,
      cost: 0.5 / 7,
      errors: 1 / 7,
    })
    const month = await show('?range=30d')
    expect(month.metrics).toHaveLength(30)
    expect((month.metrics as object[])[19]).toMatchObject({ timestamp: midnight(10), cost: 2 })
    expect((await show('?range=24h')).metrics).toHaveLength(2)
  })

  it('/performance returns success and latency of calls, and null for unmeasured values', async () => {
    const userId = await busyUser()
    expect(await usage.show(`/api/metrics/${userId}/performance`)).toEqual([
      200,
      { cpu: null, memory: null, errorRate: 1 / 3, responseTime: 400 },
    ])
    const stranger = await usage.show(`/api/metrics/${usage.newUserId()}/performance`)
    expect(stranger).toEqual([
      200,
      { cpu: null, memory: null, errorRate: null, responseTime: null },
    ])
  })

  it('/summary returns the month', async () => {
    const userId = await busyUser()
    const thisMonth = (daysAgo: number) => midnight(daysAgo).slice(0, 7) === midnight(0).slice(0, 7)
    const [status, body] = await usage.show(`/api/metrics/${userId}/summary`)
    expect([status, body]).toEqual([
      200,
      {
        agents: { total: 3, active: 1 },
        messages: { month: thisMonth(1) ? 3 : 2, total: 4 },
        tokens: { month: thisMonth(10) ? 330 : 220 },
        cost: { month: thisMonth(10) ? 2.5 : 0.5 },
        bookings: { completed: 0, pending: 0 },
      },
    ])
  })

  it.each(['historical', 'performance', 'summary'])(
    '/%s is readable by the user and the platform',
    async (name) => {
      const path = `/api/metrics/usr_mine/${name}`
      expect((await usage.show(path, 'usr_mine'))[0]).toBe(200)
      expect(await usage.show(path, 'usr_other')).toEqual([404, { error: 'User not found' }])
      const { headers } = await usage.agentOf('usr_mine')
      const { session } = await usage.signUp(`${name}@b.co`)
      const status = async (call: object) => (await usage.backend('GET', path, call))[0]
      expect([await status({}), await status({ headers }), await status({ session })]).toEqual([
        401, 403, 401,
      ])
      expect((await usage.show(`/api/metrics/a%23b/${name}`))[0]).toBe(400)
    },
  )

  it.each(['1h', '', '7D', 'constructor'])('/historical rejects the range %j', async (range) => {
    expect(await usage.show(`/api/metrics/usr_a/historical?range=${range}`)).toEqual([
      400,
      { error: 'range must be one of 24h, 7d, 30d' },
    ])
  })
})

it('a message that is stored twice is counted once', async () => {
  const userId = usage.newUserId()
  const store = userStore(usage.table, userId)
  const seed = newSeed()
  const message = { agentId: 'agt_x', sender: 'user', content: 'x', topic: undefined } as const
  const stored = await Promise.all(
    [1, 2, 3].map(() => storeMessage(store, { message: { ...message, platform: 'web' }, seed })),
  )
  expect(new Set(stored.map(({ id }) => id)).size).toBe(1)
  const [, { messages }] = await usage.show(`/api/metrics/${userId}/summary`)
  expect(messages).toMatchObject({ total: 1 })
})
