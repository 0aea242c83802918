import { readFile } from 'node:fs/promises'
import { beforeAll, expect, it } from 'vitest'
import { untilDayHasTime } from '../support/clock/day.ts'
import { eventually } from '../support/clock/eventually.ts'
import {
  asInternal,
  call,
  chat,
  newSubscriber,
  newUser,
  runningAgent,
  secretsOf,
  sharedTable,
  stack,
  type TestUser,
} from '../support/stack/platform.ts'
import { processesOf } from '../support/stack/processes.ts'

let user: TestUser
let agentId: string

beforeAll(async () => {
  await untilDayHasTime()
  user = await newSubscriber()
  agentId = await runningAgent(user, 'Melody')
  const answer = await chat(user, { message: 'What is on tonight?', agentId })
  expect(answer.status).toBe(200)
})

const see = async (path: string, who = user) =>
  (await call(stack().web + path, { headers: who.session })).body

/** Returns the items of a usage query for the user. */
async function query(path: string, userId?: string): Promise<Record<string, unknown>[]> {
  const url = `${stack().backend}/api/usage/${path}`
  const { status, body } = await call(url, { headers: asInternal(userId) })
  expect([status, body.success]).toEqual([200, true])
  return body.data as Record<string, unknown>[]
}

it('a turn with an agent is in every view of its owner’s usage', async () => {
  const [item] = await eventually(async () => {
    const found = await query(`by-agent/${agentId}`, user.id)
    expect(found).toHaveLength(1)
    return found
  })
  expect(item).toMatchObject({ model: 'local/echo', provider: 'local', cost_usd: 0, events: 1 })
  const { total_tokens } = item ?? {}
  expect(total_tokens).toBeGreaterThan(0)
  expect(await query(`by-agent/${agentId}`)).toEqual([item])
  expect(await query('daily', user.id)).toMatchObject([{ total_tokens, turns: 1 }])
  expect(await query('summary', user.id)).toMatchObject([{ agent_id: agentId, turn_count: 1 }])

  expect(await see('/api/dashboard/cost')).toMatchObject({
    isMockData: false,
    summary: { totalCost: 0, totalTokens: total_tokens, totalCalls: 1 },
    agents: [{ name: 'Melody', model: 'local/echo', calls: 1 }],
  })
  await eventually(async () =>
    expect((await see('/api/metrics')).metrics).toMatchObject({
      agents: { total: 1, active: 1 },
      messages: { today: 2, thisWeek: 2, thisMonth: 2 },
      performance: { averageResponseMs: expect.any(Number), successRate: 1 },
    }),
  )
  const { usage } = await see('/api/billing')
  expect(usage).toMatchObject({ used: total_tokens, quota: 2_000_000 })
  const url = `${stack().backend}/api/metrics/${user.id}/summary`
  const { body } = await call(url, { headers: asInternal() })
  expect(body).toMatchObject({
    agents: { total: 1, active: 1 },
    messages: { month: 2, total: 2 },
    tokens: { month: total_tokens },
    cost: { month: 0 },
  })
})

it('an agent’s container reports its tool calls with its own key', async () => {
  const [container] = processesOf(stack().dataDir, agentId)
  const { AI_API_KEY: key } = await secretsOf(container!)
  const report = { kind: 'tool', toolName: 'calendar.read', success: true, durationMs: 12 }
  const url = `${stack().backend}/api/usage/events`
  const headers = { authorization: `Bearer ${key}` }
  const { status, body } = await call(url, { headers, body: report })
  expect([status, body]).toEqual([202, { success: true, accepted: 1 }])
  const tools = [{ tool_name: 'calendar.read', calls: 1, successes: 1, avg_ms: 12 }]
  expect(await query(`tools?agentId=${agentId}`, user.id)).toEqual(tools)
  const other = { ...report, agentId: `agt_${'0'.repeat(26)}` }
  expect((await call(url, { headers, body: other })).status).toBe(404)
})

it('a user’s own provider key stays sealed, and is never logged', async () => {
  const owner = await newUser()
  const apiKey = 'a-provider-key-of-ones-own'
  const url = `${stack().web}/api/billing`
  const headers = { ...owner.session, 'x-request-id': `byok-${owner.id}` }
  const body = { action: 'enable-byok', provider: 'openrouter', apiKey }
  expect((await call(url, { headers, body })).body).toEqual({ success: true, byokEnabled: true })
  expect(await see('/api/billing', owner)).toMatchObject({ byokEnabled: true })
  const { items } = await sharedTable().query({ pk: `user#${owner.id}` })
  expect(JSON.stringify(items)).toMatch(/"openrouter":"v1\./)
  expect(JSON.stringify(items)).not.toContain(apiKey)
  const log = await eventually(async () => {
    const text = await readFile(stack().logFile, 'utf8')
    expect(text).toContain(`byok-${owner.id}`)
    return text
  })
  expect(log).not.toContain(apiKey)
})
