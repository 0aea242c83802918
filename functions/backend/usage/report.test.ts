import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { aiKeyKey } from '#shared/agents/record/agent.ts'
import { usageAnswers } from '#shared/ai/usage/queries/schema.ts'
import { sha256Hex } from '#shared/platform/crypto.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { itemsOf } from '#tests/support/ai/gateway.ts'
import { startUsage, type Usage } from '#tests/support/ai/usage.ts'
import { fromMidMonth } from '#tests/support/clock/time.ts'
import { before } from '#tests/support/platform/recorded-table.ts'

fromMidMonth()

let usage: Usage

beforeAll(async () => {
  usage = await startUsage()
})
afterAll(() => usage.close())

const path = '/api/usage/events'
const call = (toolName = 'web.search', rest: object = {}) => ({
  kind: 'tool',
  toolName,
  success: true,
  durationMs: 100,
  ...rest,
})

const newAgent = () => usage.agentOf(usage.newUserId())
type Agent = Awaited<ReturnType<typeof newAgent>>

const report = (body: unknown, headers: Record<string, string>, process = usage) =>
  process.backend('POST', path, { body, headers })

const eventsOf = ({ owner }: Agent) => itemsOf(usage.table, userPartition(owner), 'usage#')

/** Returns the tool usage of an agent. */
const toolsOf = async ({ id }: Agent, userId?: string) =>
  (await usage.show(`/api/usage/tools?agentId=${id}`, userId))[1].data

const accepted = (count: number) => [202, { success: true, accepted: count }]

describe('an agent', () => {
  it('reports its own tool calls, one or many, and they are listed', async () => {
    const agent = await newAgent()
    const { id, owner, headers } = agent
    expect(await report({ ...call(), agentId: id }, headers)).toEqual(accepted(1))
    const sibling = await usage.agentOf(owner)
    await report(call('siblings-own'), sibling.headers)
    const more = [
      call('web.search', { durationMs: 301.4, success: false }),
      call('mcp/files:read-file', { durationMs: 0 }),
    ]
    expect(await report({ events: more }, headers)).toEqual(accepted(2))
    const tools = [
      { tool_name: 'web.search', calls: 2, successes: 1, avg_ms: 201 },
      { tool_name: 'mcp/files:read-file', calls: 1, successes: 1, avg_ms: 0 },
    ]
    expect(await toolsOf(agent)).toEqual(tools)
    expect(await toolsOf(agent, owner)).toEqual(tools)
    expect(await toolsOf(agent, usage.newUserId())).toEqual([])
    const { data } = (await usage.show('/api/usage/tools', owner))[1]
    expect(data).toEqual([...tools, expect.objectContaining({ tool_name: 'siblings-own' })])
    const [first] = await eventsOf(agent)
    expect(first).toEqual({
      pk: `user#${owner}`,
      keyId: null,
      sk: `usage#${String(first?.id)}`,
      id: expect.stringMatching(/^use_[0-9a-z]{26}$/),
      userId: owner,
      agentId: id,
      kind: 'tool',
      model: null,
      provider: null,
      inputTokens: 0,
      outputTokens: 0,
      costUsd: 0,
      toolName: 'web.search',
      success: true,
      durationMs: 100,
      endpoint: path,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    })
  })

  it('counts usage under at most 200 tool names, and all other tools as other', async () => {
    const agent = await newAgent()
    for (let at = 0; at < 300; at += 100) {
      const events = Array.from({ length: 100 }, (_, i) => call(`tool-${at + i}`))
      expect(await report({ events }, agent.headers)).toEqual(accepted(100))
    }
    await report(call('tool-0'), agent.headers)
    const tools = usageAnswers.tools.shape.data.parse(await toolsOf(agent))
    expect(tools).toHaveLength(201)
    expect(tools.slice(0, 2)).toMatchObject([
      { tool_name: 'other', calls: 100 },
      { tool_name: 'tool-0', calls: 2 },
    ])
    expect(await eventsOf(agent)).toHaveLength(301)
  })

  it('adds no tool call to the model calls', async () => {
    const { owner, headers } = await newAgent()
    await report(call(), headers)
    expect(await usage.show('/api/usage/summary', owner)).toEqual([
      200,
      { success: true, data: [] },
    ])
  })

  it('cannot report for another agent, and such a batch is rejected whole', async () => {
    const [mine, theirs] = [await newAgent(), await newAgent()]
    const sibling = await usage.agentOf(mine.owner)
    for (const agentId of [theirs.id, sibling.id, 'agt_nobody', '']) {
      const events = [call(), call('x', { agentId })]
      expect(await report({ events }, mine.headers)).toEqual([404, { error: 'Agent not found' }])
    }
    for (const agent of [mine, theirs, sibling]) expect(await eventsOf(agent)).toEqual([])
  })

  it('an agent without an owner reports for the platform', async () => {
    const agent = await usage.agentOf(null)
    expect(await report(call(), agent.headers)).toEqual(accepted(1))
    expect(await toolsOf(agent)).toMatchObject([{ tool_name: 'web.search', calls: 1 }])
  })

  it('an agent that was stopped cannot report', async () => {
    const agent = await newAgent()
    await usage.table.delete(aiKeyKey(await sha256Hex(agent.key)))
    expect((await report(call(), agent.headers))[0]).toBe(401)
  })
})

describe('a trusted caller', () => {
  it('reports for any agents', async () => {
    const agents = [await newAgent(), await newAgent()]
    const events = agents.flatMap(({ id }) => [1, 2, 3].map(() => call('t', { agentId: id })))
    expect(await report({ events }, usage.asInternal())).toEqual(accepted(6))
    for (const agent of agents) expect(await toolsOf(agent)).toMatchObject([{ calls: 3 }])
  })

  it('acting for a user reports for that user’s agents only', async () => {
    const [mine, theirs] = [await newAgent(), await newAgent()]
    const headers = usage.asInternal(mine.owner)
    expect(await report(call('t', { agentId: mine.id }), headers)).toEqual(accepted(1))
    const events = [mine, theirs].map(({ id }) => call('t', { agentId: id }))
    expect((await report({ events }, headers))[0]).toBe(404)
    expect([(await eventsOf(mine)).length, (await eventsOf(theirs)).length]).toEqual([1, 0])
  })

  it('must name an existing agent', async () => {
    expect(await report(call(), usage.asInternal())).toEqual([400, { error: 'agentId required' }])
    const unknown = call('t', { agentId: `agt_${'0'.repeat(26)}` })
    expect((await report(unknown, usage.asInternal()))[0]).toBe(404)
  })
})

describe('under one Idempotency-Key', () => {
  const events = Array.from({ length: 100 }, (_, i) => call(`tool-${i % 3}`))

  it('the same report counts once, under repeats', async () => {
    const agent = await newAgent()
    const headers = { ...agent.headers, 'idempotency-key': randomUUID() }
    expect(await report({ events }, headers)).toEqual(accepted(100))
    expect(await report({ events }, headers)).toEqual(accepted(100))
    expect(await toolsOf(agent)).toMatchObject([{ calls: 34 }, { calls: 33 }, { calls: 33 }])
    expect(await eventsOf(agent)).toHaveLength(100)
    const other = { events: events.slice(1) }
    expect((await report(other, headers))[0]).toBe(409)
  })

  it('a report that was interrupted anywhere is completed by its retry', async () => {
    for (const until of [1, 2, 3, 4]) {
      const agent = await newAgent()
      const headers = { ...agent.headers, 'idempotency-key': randomUUID() }
      let transactions = 0
      const dying = before(usage.table, async (name, given) => {
        if (name !== 'transact' || ++transactions !== until) return
        // The response is lost, with or without the effect.
        if (until % 2 === 0) await usage.table.transact(...(given as [never]))
        throw new Error('killed')
      })
      const cut = await report({ events }, headers, {
        ...usage,
        ...usage.startProcess({ table: dying }),
      })
      expect(cut[0]).toBe(500)
      expect(await report({ events }, headers)).toEqual(accepted(100))
      expect(await eventsOf(agent)).toHaveLength(100)
      expect(await toolsOf(agent)).toMatchObject([{ calls: 34 }, { calls: 33 }, { calls: 33 }])
    }
  })
})

it('concurrent agents lose no call', async () => {
  const agents = await Promise.all(Array.from({ length: 8 }, newAgent))
  const statuses = await Promise.all(
    agents.flatMap(({ headers }) =>
      [1, 2, 3, 4].map(() => report({ events: [call(), call()] }, headers)),
    ),
  )
  expect(statuses.every(([status]) => status === 202)).toBe(true)
  for (const agent of agents) expect(await toolsOf(agent)).toMatchObject([{ calls: 8 }])
})

describe('a report is rejected without effect', () => {
  it.each([
    ['without a kind', { ...call(), kind: undefined }, /kind/],
    ['for another kind', { ...call(), kind: 'completion' }, /kind must be tool/],
    ['without a tool', { ...call(), toolName: undefined }, /toolName required/],
    ['for an empty tool', call(''), /toolName/],
    ['for a tool with a # in its name', call('a#b'), /toolName/],
    ['for a tool with a line break in its name', call('a\nb'), /toolName/],
    ['for a long tool', call('a'.repeat(129)), /toolName/],
    ['with an invalid success', { ...call(), success: 'yes' }, /success/],
    ['with a negative time', call('t', { durationMs: -1 }), /durationMs/],
    ['with a time above a day', call('t', { durationMs: 1e12 }), /durationMs/],
    ['with a null time', call('t', { durationMs: null }), /durationMs/],
    ['without events', { events: [] }, /events/],
    ['with 101 events', { events: Array(101).fill(call()) }, /events/],
    [
      'with one invalid event',
      { events: [call(), { ...call(), toolName: 7 }] },
      /events.1.toolName/,
    ],
    ['that is empty', {}, /kind/],
    ['that is a list', [call()], /./],
  ])('%s', async (_, body, message) => {
    const agent = await newAgent()
    expect(await report(body, agent.headers)).toEqual([
      400,
      { error: expect.stringMatching(message) },
    ])
    expect(await eventsOf(agent)).toEqual([])
  })

  it('a report is rejected without effect from any other caller', async () => {
    const { session } = await usage.signUp(`s${randomUUID()}@b.co`)
    const status = async (given: object) =>
      (await usage.backend('POST', path, { body: call(), ...given }))[0]
    expect(await status({})).toBe(401)
    expect(await status({ session })).toBe(401)
    for (const token of ['wrong', `sk_${'0'.repeat(64)}`, `ak_${'0'.repeat(64)}`])
      expect(await status({ headers: { authorization: `Bearer ${token}` } })).toBe(401)
  })
})

it('the log reports recorded and failed calls', async () => {
  const { id, headers } = await newAgent()
  const lines = vi.spyOn(console, 'log').mockImplementation(() => {})
  const messages = () => lines.mock.calls.map(([line]) => JSON.parse(String(line)).message)
  try {
    await report(call(), headers)
    expect(messages()).toContain(`[UsageLogger] Logging: ${id} | none | 0+0 tokens | $0`)
    const broken = before(usage.table, (name) => {
      if (name === 'transact') throw new Error('the table is on fire')
    })
    const failed = await report(call(), headers, {
      ...usage,
      ...usage.startProcess({ table: broken }),
    })
    expect(failed).toEqual([500, { error: 'Internal server error' }])
    expect(messages()).toContain('[UsageLogger] Failed to log usage: the table is on fire')
  } finally {
    lines.mockRestore()
  }
})
