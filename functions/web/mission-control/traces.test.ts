import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { startUsage, type Usage } from '#tests/support/ai/usage.ts'
import { fromMidMonth } from '#tests/support/clock/time.ts'
import { storeTurn } from '#tests/support/conversations/stored-turns.ts'
import { callerOf } from '#tests/support/http/caller.ts'
import { platformOver } from '#tests/support/http/platform-over.ts'
import { recording } from '#tests/support/platform/recorded-table.ts'
import * as group from '../mission-control.ts'

fromMidMonth()

const second = 1_000
const minute = 60 * second
const day = 24 * 60 * minute

let usage: Usage
let user: { id: string; session: string }
let users = 0

beforeAll(async () => {
  usage = await startUsage()
})
afterAll(() => usage.close())
beforeEach(async () => {
  user = await usage.signUp(`traces${++users}@b.co`)
})

async function traces(session = user.session, table = usage.table) {
  const call = callerOf(group, { table, gatewayUrl: undefined })
  const body = await platformOver(call, { session }).fleet.traces()
  expect(Object.keys(body)).toEqual(['traces'])
  return body.traces
}

const iso = (at: number) => new Date(at).toISOString()
const tokens = (input: number, output: number) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
})

async function agentOf(fields: Parameters<typeof putAgent>[2] = {}) {
  return putAgent(usage.table, user.id, { createdAt: iso(Date.now() - 100 * day), ...fields })
}

/** Creates a turn of this user that began the given time ago. */
async function turn(
  agentId: string,
  agoMs: number,
  more: Partial<Parameters<typeof storeTurn>[2]> = {},
) {
  const at = Date.now() - agoMs
  return storeTurn(usage.table, user.id, { agentId, message: 'Hello', at, ...more })
}

const answered = { answer: { afterMs: second } }

describe('GET /api/mission-control/fleet/traces', () => {
  it('returns an answered turn, with its usage and cost', async () => {
    const { id: agentId } = await agentOf({ name: 'Rhythm' })
    const agoMs = 10 * second
    const at = Date.now() - agoMs
    const answer = { afterMs: 20 * second, model: 'openai/gpt-4o', usage: tokens(100, 10) }
    const id = await turn(agentId, agoMs, { message: 'What is new?', at, answer })
    await usage.completed(user.id, { agentId, inputTokens: 100, outputTokens: 10, costUsd: 0.1 })
    await usage.completed(user.id, { agentId, inputTokens: 7, outputTokens: 1, costUsd: 9 })
    expect(await traces()).toEqual([
      {
        id,
        agentId,
        agentName: 'Rhythm',
        status: 'completed',
        description: 'What is new?',
        model: 'openai/gpt-4o',
        tokensUsed: 110,
        costUsd: 0.1,
        startedAt: iso(at),
        completedAt: iso(at + 20 * second),
      },
    ])
  })

  it('sums up the calls of a turn', async () => {
    const { id: agentId } = await agentOf()
    await turn(agentId, 0, { answer: { afterMs: 1, usage: tokens(30, 3) } })
    await usage.completed(user.id, { agentId, inputTokens: 10, outputTokens: 1, costUsd: 0.1 })
    await usage.completed(user.id, { agentId, inputTokens: 20, outputTokens: 2, costUsd: 0.2 })
    expect(await traces()).toMatchObject([{ costUsd: 0.3 }])
  })

  it.each([
    ['calls with other tokens', { inputTokens: 11 }],
    ['a call of unknown price', { costUsd: null }],
    ['calls of another agent', { agentId: 'agt_other' }],
    ['calls at another time', undefined],
  ])('returns no cost for %s', async (_, given) => {
    const { id: agentId } = await agentOf()
    const agoMs = given === undefined ? 10 * minute : 0
    await turn(agentId, agoMs, { answer: { afterMs: 1, usage: tokens(10, 1) } })
    const event = { agentId, inputTokens: 10, outputTokens: 1, costUsd: 0.5 }
    await usage.completed(user.id, { ...event, ...given })
    expect(await traces()).toMatchObject([{ costUsd: null, tokensUsed: 11 }])
  })

  it('distinguishes running, interrupted and abandoned turns', async () => {
    const [awake, asleep] = [await agentOf(), await agentOf({ status: 'stopped' })]
    const half = { afterMs: second, content: 'I', truncated: true } as const
    await turn(awake.id, 9 * minute, { topic: 'a' })
    await turn(awake.id, 8 * minute, { topic: 'b', answer: half })
    await turn(awake.id, 7 * minute, {
      topic: 'c',
      answer: { ...half, content: 'I'.repeat(120_000) },
    })
    await turn(asleep.id, minute)
    await turn(awake.id, second, { topic: 'a' })
    const observed = (await traces()).map(({ status, completedAt }) => [
      status,
      completedAt !== null,
    ])
    expect(observed).toEqual([
      ['running', false],
      ['failed', false],
      ['completed', true],
      ['failed', true],
      ['failed', false],
    ])
  })

  it('matches an answer to the question of its own conversation', async () => {
    const { id: agentId } = await agentOf()
    const start = Date.now() - 9 * minute
    const ask = (message: string, at: number, more: object) =>
      turn(agentId, 0, { message, at: start + at, ...more })
    await ask('lost', 0, {})
    await ask('slow', minute, { answer: { afterMs: 30 * second } })
    await ask('quick', minute + second, { topic: 'other', ...answered })
    const observed = await traces()
    expect(observed.map(({ description, status }) => [description, status])).toEqual([
      ['quick', 'completed'],
      ['slow', 'completed'],
      ['lost', 'failed'],
    ])
    const [quick, slow] = observed.map(({ completedAt }) => completedAt)
    expect(Date.parse(slow ?? '') - Date.parse(quick ?? '')).toBe(28 * second)
  })

  it('matches answers in the order of the questions in one conversation', async () => {
    const { id: agentId } = await agentOf()
    for (const [n, model] of ['first', 'second', 'third'].entries())
      await turn(agentId, minute - n * second, { answer: { afterMs: 10 * second, model } })
    const observed = await traces()
    expect(observed.map(({ model }) => model)).toEqual(['third', 'second', 'first'])
  })

  it('returns the last twenty of all agents and days, newest first, and the start of each', async () => {
    const agents = await Promise.all([1, 2, 3].map(() => agentOf()))
    const requests = []
    for (let n = 0; n < 25; n++) {
      const { id } = agents[n % 3] ?? { id: '' }
      requests.push(await turn(id, (n + 1) * 0.4 * day, { ...answered, message: `${n}` }))
    }
    const long = `${'a'.repeat(199)}\u{1f600}`
    const last = await turn(agents[0]?.id ?? '', minute, { message: long, ...answered })
    const observed = await traces()
    expect(observed.map(({ id }) => id)).toEqual([last, ...requests.slice(0, 19)])
    expect(observed[0]?.description).toBe('a'.repeat(199))
  })

  it('returns nothing of another user, nor of a deleted agent', async () => {
    const mine = await agentOf()
    await turn(mine.id, minute, { message: 'A secret', ...answered })
    const gone = await agentOf({ deleting: true })
    await turn(gone.id, minute, { message: 'Of one that is gone', ...answered })
    expect((await traces()).map(({ description }) => description)).toEqual(['A secret'])
    const other = await usage.signUp(`traces${++users}@b.co`)
    expect(await traces(other.session)).toEqual([])
    // A turn with another user's agent, which should not exist, does not show that agent.
    await storeTurn(usage.table, other.id, { agentId: mine.id, message: 'Hi', at: Date.now() })
    expect(await traces(other.session)).toEqual([])
    const call = callerOf(group, { table: usage.table, gatewayUrl: undefined })
    expect((await call('GET', '/api/mission-control/fleet/traces')).status).toBe(401)
  })

  it('makes one request for each recently asked agent, for any number of agents', async () => {
    const busy = await agentOf()
    const idle = await Promise.all(Array.from({ length: 30 }, () => agentOf()))
    for (const { id } of idle) await turn(id, 50 * day, answered)
    for (let n = 0; n < 20; n++) {
      const answer = { afterMs: second, usage: tokens(1, 1) }
      await turn(busy.id, (n + 1) * minute, { answer })
    }
    const { table, calls } = recording(usage.table)
    expect(await traces(user.session, table)).toHaveLength(20)
    // Agents, counts, the messages of one agent, and the calls of each turn. The guard reads the session first.
    expect(calls.filter((name) => name === 'query')).toHaveLength(3 + 20)
    expect(calls.filter((name) => name !== 'query')).toHaveLength(1)
  })
})
