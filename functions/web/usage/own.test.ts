import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startUsage, type Usage } from '#tests/support/ai/usage.ts'
import { fromMidMonth } from '#tests/support/clock/time.ts'

fromMidMonth()

let usage: Usage

beforeAll(async () => {
  usage = await startUsage()
})
afterAll(() => usage.close())

const newUser = () => usage.signUp(`own-${randomUUID()}@b.co`)

const queries = ['breakdown', 'daily', 'by-model', 'by-agent', 'by-key', 'tools']

async function see(session: string, query: string) {
  const [status, body] = await usage.web('GET', `/api/usage/${query}`, { session })
  expect(status).toBe(200)
  expect(body.success).toBe(true)
  return body.data as Record<string, unknown>[]
}

const tokens = (calls: number) => ({
  input_tokens: 100 * calls,
  output_tokens: 10 * calls,
  total_tokens: 110 * calls,
  turns: calls,
})

const parts = { cache_read_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 }

describe('a user’s own usage', () => {
  it('is returned by key: calls without a key have no id, and a deleted key keeps its name', async () => {
    const { id, session } = await newUser()
    const byLaptop = { keyId: 'key_1', keyName: 'laptop' }
    await usage.completed(id, { ...byLaptop, costUsd: 0.1, daysAgo: 2 })
    await usage.completed(id, { ...byLaptop, keyName: 'old laptop', costUsd: 0.2 })
    await usage.completed(id, { keyId: 'key_2', keyName: 'ci', costUsd: null })
    await usage.completed(id, { agentId: 'agt_1', costUsd: 0.05 })
    await usage.completed(id, { costUsd: 0.05 })
    expect(await see(session, 'by-key')).toEqual([
      { key_id: 'key_1', key_name: 'old laptop', cost_usd: 0.3, ...parts, ...tokens(2) },
      { key_id: null, key_name: null, cost_usd: 0.1, ...parts, ...tokens(2) },
      { key_id: 'key_2', key_name: 'ci', cost_usd: null, ...parts, ...tokens(1) },
    ])
    expect(await see(session, 'by-key?days=2')).toMatchObject([
      { key_id: 'key_1', cost_usd: 0.2, turns: 1 },
      { key_id: null },
      { key_id: 'key_2' },
    ])
  })

  it('is returned by agent, by day, by model and by tool', async () => {
    const { id, session } = await newUser()
    const { id: agentId } = await usage.agentOf(id, { name: 'Rhythm' })
    await usage.completed(id, { agentId, costUsd: 0.3 })
    await usage.completed(id, { agentId: 'agt_gone', costUsd: 0.2, daysAgo: 1 })
    await usage.completed(id, { costUsd: 0.1, model: 'a/b' })
    expect(await see(session, 'by-agent')).toEqual([
      { agent_id: agentId, agent_name: 'Rhythm', cost_usd: 0.3, ...parts, ...tokens(1) },
      { agent_id: 'agt_gone', agent_name: null, cost_usd: 0.2, ...parts, ...tokens(1) },
      { agent_id: null, agent_name: null, cost_usd: 0.1, ...parts, ...tokens(1) },
    ])
    expect(await see(session, 'daily')).toMatchObject([
      { cost_usd: 0.2, turns: 1 },
      { cost_usd: 0.4, turns: 2, ...parts },
    ])
    expect(await see(session, 'by-model')).toMatchObject([
      { model: 'openai/gpt-4o', cost_usd: 0.5, turns: 2 },
      {
        model: 'a/b',
        cost_usd: 0.1,
        turns: 1,
        ...parts,
      },
    ])
    expect(await see(session, 'tools')).toEqual([])
  })

  it('is returned by day, agent and model in one response, with a separate count of calls of unknown price', async () => {
    const { id, session } = await newUser()
    const { id: agentId } = await usage.agentOf(id, { name: 'Rhythm' })
    await usage.completed(id, { agentId, costUsd: 0.3 })
    await usage.completed(id, { agentId, costUsd: null })
    await usage.completed(id, { model: 'a/b', costUsd: null })
    await usage.completed(id, { agentId: 'agt_gone', costUsd: 0.2, daysAgo: 1 })
    const [first, ...today] = await see(session, 'breakdown')
    expect(first).toMatchObject({ agent_id: 'agt_gone', agent_name: null, cost_usd: 0.2 })
    expect(today).toEqual([
      {
        date: new Date().toISOString().slice(0, 10),
        agent_id: agentId,
        agent_name: 'Rhythm',
        model: 'openai/gpt-4o',
        provider: expect.any(String),
        cost_usd: 0.3,
        unpriced: 1,
        ...parts,
        ...tokens(2),
      },
      expect.objectContaining({ agent_id: null, model: 'a/b', cost_usd: null, unpriced: 1 }),
    ])
  })

  it.each(queries.filter((query) => query !== 'tools'))(
    'has cached and reasoning tokens: %s',
    async (query) => {
      const { id, session } = await newUser()
      const counts = { cacheReadTokens: 60, cacheWriteTokens: 30, reasoningTokens: 4 }
      const call = { agentId: 'agt_1', keyId: 'key_1', keyName: 'ci', ...counts }
      await usage.completed(id, call)
      await usage.completed(id, call)
      expect(await see(session, query)).toMatchObject([
        { cache_read_tokens: 120, cache_write_tokens: 60, reasoning_tokens: 8, turns: 2 },
      ])
    },
  )

  it.each(queries)('is returned only to its user: %s', async (query) => {
    const [ada, eve] = [await newUser(), await newUser()]
    await usage.completed(ada.id, { agentId: 'agt_1', keyId: 'key_1', keyName: 'a secret name' })
    expect(await see(eve.session, `${query}?userId=${ada.id}`)).toEqual([])
    const [status, body] = await usage.web('GET', `/api/usage/${query}`, {
      session: eve.session,
      headers: { 'x-user-id': ada.id },
    })
    expect([status, body.data]).toEqual([200, []])
    expect((await usage.web('GET', `/api/usage/${query}`))[0]).toBe(401)
    const internal = usage.asInternal(ada.id)
    expect((await usage.web('GET', `/api/usage/${query}`, { headers: internal }))[0]).toBe(401)
  })

  it.each(['0', '366', '-1', 'x', '1.5', ''])('rejects days=%s', async (days) => {
    const { session } = await newUser()
    for (const query of queries) {
      const [status, body] = await usage.web('GET', `/api/usage/${query}?days=${days}`, { session })
      expect([status, body.error]).toEqual([400, expect.stringContaining('days')])
    }
  })
})
