import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { recordTraffic } from '#shared/agents/traffic/record.ts'
import { newWatchdog, type Watchdog } from '#shared/agents/watchdog/schema.ts'
import { newId, newSeed } from '#shared/platform/ids.ts'
import { createLog } from '#shared/platform/log.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { startOperator } from '#tests/support/operations/operator.ts'
import { noQueues } from '#tests/support/platform/message-queue.ts'

let operator: Awaited<ReturnType<typeof startOperator>>

beforeAll(async () => {
  operator = await startOperator()
})
afterAll(() => operator.close())

let users = 0
let made = 1_700_000_000_000
const newUser = () => `usr_agents${++users}`

/** An agent that is newer than every one before. */
const put = (userId: string | null, fields: Partial<Agent> = {}) =>
  putAgent(operator.table, userId, { id: newId('agt', newSeed(++made)), ...fields })

function watchdogWith(fields: Partial<Watchdog>): Watchdog {
  return { ...newWatchdog(Date.now()), state: 'running', ...fields }
}

const incident = (at: string, resolvedAt: string | null = null) => ({
  at,
  cause: `nothing answered at ${at}`,
  step: 'restart' as const,
  attempt: 1,
  resolvedAt,
})

interface Page {
  agents: { id: string; status: string; health: string; watchdog: string }[]
  nextCursor: string | null
}

/** Every page of a list, by its cursors. */
async function pages<T>(tool: string, list: string, args: Record<string, unknown>): Promise<T[][]> {
  const found: T[][] = []
  let cursor: unknown
  do {
    const page = await operator.ask(tool, { ...args, ...(cursor !== undefined && { cursor }) })
    found.push(page[list] as T[])
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  return found
}

const ids = (agents: { id: string }[]) => agents.map(({ id }) => id)

describe('list_agents', () => {
  it('lists every agent, newest first, a page at a time', async () => {
    const made: string[] = []
    for (let i = 0; i < 7; i++) made.unshift((await put(i === 0 ? null : newUser())).id)
    const found = await pages<{ id: string }>('list_agents', 'agents', { limit: 3 })
    const [first = []] = found
    expect(ids(first)).toEqual(made.slice(0, 3))
    const all = ids(found.flat())
    expect(all.slice(0, 7)).toEqual(made)
    expect(all).toEqual(all.toSorted().toReversed())
    expect(new Set(all).size).toBe(all.length)
  })

  it('lists only the agents of one user', async () => {
    const user = newUser()
    const own = [(await put(user)).id, (await put(user)).id].toReversed()
    await put(newUser())
    expect(await operator.ask('list_agents', { userId: user })).toMatchObject({
      agents: own.map((id) => ({ id, userId: user })),
      nextCursor: null,
    })
    expect(await operator.ask('list_agents', { userId: user, limit: 1 })).toMatchObject({
      agents: [{ id: own[0] }],
      nextCursor: own[0],
    })
    expect(
      await operator.ask('list_agents', { userId: user, limit: 1, cursor: own[0] }),
    ).toMatchObject({ agents: [{ id: own[1] }], nextCursor: null })
  })

  it('filters by state and by trouble', async () => {
    const user = newUser()
    const stopped = await put(user, { status: 'stopped', desired: 'stopped' })
    const failed = await put(user, { status: 'error' })
    const degraded = await put(user, { watchdog: watchdogWith({ state: 'degraded' }) })
    await put(user, { watchdog: watchdogWith({ state: 'running' }) })
    for (const scope of [{}, { userId: user }]) {
      const ask = async (args: object) => {
        const found = await pages<Page['agents'][number]>('list_agents', 'agents', {
          ...scope,
          ...args,
          limit: 50,
        })
        return found.flat()
      }
      const failing = await ask({ failing: true })
      expect(ids(failing).slice(0, 2)).toEqual([degraded.id, failed.id])
      expect(failing[0]).toMatchObject({ health: 'unhealthy', watchdog: 'degraded' })
      expect(
        failing.map(({ status, watchdog }) => status === 'error' || watchdog !== 'running'),
      ).not.toContain(false)
      expect(ids(await ask({ status: 'stopped' }))).toContain(stopped.id)
      expect(new Set((await ask({ status: 'stopped' })).map(({ status }) => status))).toEqual(
        new Set(['stopped']),
      )
      expect(ids(await ask({ status: 'error', failing: true }))).toContain(failed.id)
      expect(ids(await ask({ status: 'stopped', failing: true }))).toEqual([])
    }
  })

  it('omits agents that are being deleted', async () => {
    const user = newUser()
    const { id } = await put(user, { deleting: true })
    expect(await operator.ask('list_agents', { userId: user })).toMatchObject({ agents: [] })
    expect(
      ids((await operator.ask('list_agents', { limit: 50 })).agents as Page['agents']),
    ).not.toContain(id)
  })
})

describe('get_agent', () => {
  it('returns the state of an agent with its last incidents, without its config', async () => {
    const user = newUser()
    const incidents = Array.from({ length: 7 }, (_, i) => incident(`2026-11-0${i + 1}T00:00:00Z`))
    const agent = await put(user, {
      status: 'error',
      config: { systemPrompt: 'a secret prompt' },
      secrets: { telegramToken: 'sealed' },
      stopReason: { code: 'CRASHED', exitCode: 1, text: 'ended', at: '2026-11-07T00:00:00Z' },
      watchdog: watchdogWith({ state: 'crash_loop', attempts: 2, incidents }),
    })
    const found = await operator.ask('get_agent', { agentId: agent.id })
    expect(found).toMatchObject({
      id: agent.id,
      userId: user,
      status: 'error',
      health: 'stopped',
      watchdog: 'crash_loop',
      desired: 'running',
      generation: 1,
      stopReason: { code: 'CRASHED', exitCode: 1 },
      repairAttempts: 2,
      asleep: false,
      lastActiveAt: null,
    })
    const latest = incidents.toReversed().slice(0, 5)
    expect(found.incidents).toEqual(latest.map(({ at }) => expect.objectContaining({ at })))
    expect(JSON.stringify(found)).not.toMatch(/secret prompt|sealed/)
  })

  it('returns an error for a missing agent', async () => {
    const answer = await operator.client.callTool({
      name: 'get_agent',
      arguments: { agentId: newId('agt') },
    })
    expect(answer).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'Agent not found' }],
    })
  })
})

describe('list_heavy_senders', () => {
  it('lists agents that sent more than the plan includes, a page at a time', async () => {
    const at = Date.UTC(2025, 5, 1)
    const mailer = { send: async () => {} }
    const log = createLog()
    const ctx = {
      table: operator.table,
      queues: noQueues,
      mailer,
      log,
      webUrl: 'https://web.example',
    }
    const agents = await Promise.all(
      [0.5, 1.5, 2].map(async (gigabytes) => {
        const agent = await put(newUser(), { plan: 'label' })
        const traffic = { sent: gigabytes * 1e9, printed: null }
        await recordTraffic(ctx, { agent, traffic }, at)
        return {
          agentId: agent.id,
          userId: agent.userId,
          sentBytes: traffic.sent,
          printedBytes: null,
        }
      }),
    )
    const found = await pages('list_heavy_senders', 'agents', { date: '2025-06-01', limit: 1 })
    const heavy = agents.slice(1).toSorted((a, b) => (a.agentId < b.agentId ? -1 : 1))
    expect(found).toEqual(heavy.map((one) => [one]))
    expect(await pages('list_heavy_senders', 'agents', {})).toEqual([[]])
  })
})

describe('list_incidents', () => {
  it('lists open incidents, or all, newest first and a page at a time', async () => {
    const [one, other] = [newUser(), newUser()]
    const over = incident('2030-01-01T00:00:00Z', '2030-01-01T00:05:00Z')
    const degraded = await put(one, {
      watchdog: watchdogWith({
        state: 'degraded',
        incidents: [over, incident('2030-01-03T00:00:00Z')],
      }),
    })
    const looping = await put(other, {
      status: 'error',
      watchdog: watchdogWith({
        state: 'crash_loop',
        incidents: [incident('2030-01-02T00:00:00Z')],
      }),
    })
    const told = async (args: object) => {
      const found = await pages<{ at: string; agentId: string }>('list_incidents', 'incidents', {
        limit: 1,
        ...args,
      })
      return found
        .flat()
        .map(({ at, agentId }) => [at, agentId])
        .filter(([at = '']) => at.startsWith('2030'))
    }
    const open = [
      ['2030-01-03T00:00:00Z', degraded.id],
      ['2030-01-02T00:00:00Z', looping.id],
    ]
    expect(await told({})).toEqual(open)
    expect(await told({ open: false })).toEqual([...open, [over.at, degraded.id]])
    expect(await told({ userId: other })).toEqual([open[1]])
    expect(await operator.ask('list_incidents', { userId: one, limit: 1 })).toMatchObject({
      incidents: [{ agentName: 'Ada', userId: one, agentStatus: 'running', step: 'restart' }],
    })
  })
})
