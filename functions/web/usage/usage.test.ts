import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { profileKey } from '#shared/accounts/users/user.ts'
import { storeMessage } from '#shared/conversations/chat/message.ts'
import { newSeed } from '#shared/platform/ids.ts'
import { userPartition, userStore } from '#shared/platform/table/user-store.ts'
import { eventsOf } from '#tests/support/ai/gateway.ts'
import { adminEmail, startUsage, type Usage } from '#tests/support/ai/usage.ts'
import { fromMidMonth } from '#tests/support/clock/time.ts'
import { before } from '#tests/support/platform/recorded-table.ts'

fromMidMonth()

let usage: Usage

beforeAll(async () => {
  usage = await startUsage()
})
afterAll(() => usage.close())

const newUser = () => usage.signUp(`usage-${randomUUID()}@b.co`)

describe('GET /api/credits', () => {
  it('returns the caller’s balance, with the number of referred people', async () => {
    const { id, session } = await newUser()
    const see = () => usage.web('GET', '/api/credits', { session })
    const [status, body] = await see()
    expect([status, body]).toEqual([
      200,
      {
        credits: 0,
        referralCode: expect.stringMatching(/^[A-Z2-9]{8}$/),
        referralCount: 0,
        plan: 'free',
      },
    ])
    const friend = {
      email: `friend-${randomUUID()}@b.co`,
      password: 'correct horse',
      referralCode: body.referralCode,
    }
    expect((await usage.call('POST', '/api/register', { body: friend })).status).toBe(200)
    expect((await see())[1]).toMatchObject({ credits: 0, referralCount: 1 })
    await usage.table.delete({ pk: userPartition(id), sk: profileKey })
    expect((await see())[0]).toBe(401)
    expect((await usage.web('GET', '/api/credits'))[0]).toBe(401)
  })
})

describe('GET /api/metrics', () => {
  const see = async (session: string) => (await usage.web('GET', '/api/metrics', { session }))[1]

  it('counts the caller’s agents, messages and calls', async () => {
    const { id, session } = await newUser()
    const agents = await Promise.all([
      usage.agentOf(id),
      usage.agentOf(id),
      usage.agentOf(id, { status: 'error' }),
      usage.agentOf(id, { status: 'stopped' }),
      usage.agentOf(id, { status: 'pending', generation: 0 }),
      usage.agentOf(id, { status: 'provisioning' }),
    ])
    const agentId = agents[0]?.id ?? ''
    const store = userStore(usage.table, id)
    const message = { agentId, content: 'x', topic: undefined, platform: 'web' }
    await storeMessage(store, { message: { ...message, sender: 'user' }, seed: newSeed() })
    await storeMessage(store, { message: { ...message, sender: 'agent' }, seed: newSeed() })
    await storeMessage(store, {
      message: { ...message, sender: 'user' },
      seed: newSeed(Date.now() - 40 * 86_400_000),
    })
    await usage.completed(id, { durationMs: 100 })
    await usage.completed(id, { durationMs: 201, success: false })
    expect(await see(session)).toEqual({
      metrics: {
        agents: { total: 6, active: 2, inactive: 3, failed: 1 },
        messages: { today: 2, thisWeek: 2, thisMonth: 2 },
        deployments: { total: 5, successful: 3, failed: 1 },
        performance: { averageResponseMs: 151, successRate: 0.5 },
      },
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    })
  })

  it('returns zeros without activity, and only the caller’s figures', async () => {
    const { session } = await newUser()
    const zeros = { total: 0, failed: 0 }
    expect((await see(session)).metrics).toEqual({
      agents: { ...zeros, active: 0, inactive: 0 },
      messages: { today: 0, thisWeek: 0, thisMonth: 0 },
      deployments: { ...zeros, successful: 0 },
      performance: { averageResponseMs: null, successRate: null },
    })
    expect((await usage.web('GET', '/api/metrics'))[0]).toBe(401)
  })
})

describe('POST /api/test-usage', () => {
  const path = '/api/test-usage'
  const written = { status: 'ok', message: expect.any(String), timestamp: expect.any(String) }

  it('writes one row, which the dashboard then returns', async () => {
    const { id, session } = await newUser()
    expect(await usage.web('POST', path, { session })).toEqual([200, written])
    expect(await eventsOf(usage.table, id)).toMatchObject([{ model: 'test', costUsd: 0 }])
    const [, cost] = await usage.web('GET', '/api/dashboard/cost', { session })
    expect(cost).toMatchObject({
      isMockData: false,
      summary: { totalTokens: 15, totalCalls: 1 },
      agents: [{ name: '(no agent)', model: 'test' }],
    })
    const [, { usage: month }] = await usage.web('GET', '/api/billing', { session })
    expect(month).toMatchObject({ used: 0 })
  })

  it('requires no session on one machine', async () => {
    expect(await usage.web('POST', path)).toEqual([200, written])
    expect(await eventsOf(usage.table, 'anonymous')).toHaveLength(1)
  })

  it('requires an administrator if the platform is deployed', async () => {
    const deployed = usage.startProcess({ deployed: true })
    const refused = [403, { error: 'Admin access required', code: 'ADMIN_REQUIRED' }]
    const { id, session } = await newUser()
    expect(await deployed.web('POST', path)).toEqual(refused)
    expect(await deployed.web('POST', path, { session })).toEqual(refused)
    expect(await eventsOf(usage.table, id)).toEqual([])
    const admin = await usage.signUp(adminEmail)
    expect(await deployed.web('POST', path, { session: admin.session })).toEqual(refused)
    const profile = { pk: userPartition(admin.id), sk: profileKey }
    await usage.table.update(profile, { set: { emailVerified: true } })
    expect(await deployed.web('POST', path, { session: admin.session })).toEqual([200, written])
  })

  it('reports a failure in the response and in the log', async () => {
    const lines = vi.spyOn(console, 'log').mockImplementation(() => {})
    const table = before(usage.table, (name) => {
      if (name === 'transact') throw new Error('the table is on fire')
    })
    const answer = await usage.startProcess({ table }).web('POST', path)
    const log = JSON.stringify(lines.mock.calls)
    lines.mockRestore()
    expect(answer).toEqual([
      500,
      {
        status: 'error',
        message: 'Failed to write a test row',
        error: 'Failed to write a test row',
      },
    ])
    expect(log).toContain('[UsageLogger] Failed to log usage: the table is on fire')
  })
})
