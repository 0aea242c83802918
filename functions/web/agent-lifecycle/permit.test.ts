import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { wakeAgent } from '#shared/agents/fleet/activity/wake.ts'
import { startGeneration } from '#shared/agents/fleet/lifecycle/generation.ts'
import { stopAgent } from '#shared/agents/fleet/lifecycle/stop.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { storageRows } from '#shared/agents/storage/rows.ts'
import { startWebAgents, type WebAgents } from '#tests/support/agents/web-agents.ts'
import { before } from '#tests/support/platform/recorded-table.ts'

let web: WebAgents

beforeAll(async () => {
  web = await startWebAgents()
})
afterAll(() => web.fleet.close())
beforeEach(() => web.fleet.forget())

type Subject = Pick<Agent, 'id' | 'userId'>

const tell = ({ id, userId }: Subject, verb: string) =>
  web.call('POST', `/api/instance/${id}/${verb}`, { user: String(userId) })

const configure = ({ id, userId }: Subject, config: object, query = '') =>
  web.call('PUT', `/api/agents/${id}/config${query}`, { user: String(userId), body: { config } })

async function running(user?: string): Promise<Agent> {
  return web.fleet.untilRunning(await web.provisioned(user ?? (await web.person())))
}

const verbs = ['start', 'restart', 'update', 'repair'] as const
const unpaid = { error: 'An active subscription is required', code: 'SUBSCRIPTION_REQUIRED' }

describe('an agent whose owner’s plan has ended', () => {
  it.each(
    verbs.flatMap((verb) =>
      (['canceled', 'past_due', 'inactive'] as const).map((s) => [verb, s] as const),
    ),
  )('is not started by %s: %s', async (verb, status) => {
    const agent = await running()
    await tell(agent, 'stop')
    await web.fleet.until(agent, ({ taskStatus }) => taskStatus === 'STOPPED')
    const stopped = await web.fleet.row(agent)
    await web.fleet.pays(String(agent.userId), status)
    expect(await tell(agent, verb)).toEqual({ status: 402, body: unpaid })
    expect(await web.fleet.row(agent)).toEqual(stopped)
    await web.fleet.pays(String(agent.userId), 'trialing')
    expect(await tell(agent, verb)).toMatchObject({ status: 200 })
  })

  it('may be stopped, reset and configured, but not restarted', async () => {
    const agent = await running()
    await web.fleet.pays(String(agent.userId), 'canceled')
    const refused = await configure(agent, { systemPrompt: 'Sing.' })
    expect(refused).toEqual({ status: 402, body: unpaid })
    expect(await web.fleet.row(agent)).toEqual(agent)
    expect(await configure(agent, { color: 'blue' })).toMatchObject({ status: 200 })
    const stored = await configure(agent, { systemPrompt: 'Sing.' }, '?apply=false')
    expect(stored).toMatchObject({ status: 200, body: { config: { systemPrompt: 'Sing.' } } })
    expect(await tell(agent, 'reset-memory')).toMatchObject({ status: 200 })
    expect(await tell(agent, 'stop')).toMatchObject({ status: 200 })
  })

  it('is not started if the plan ends during the start', async () => {
    const agent = await running()
    await tell(agent, 'stop')
    const { table, services } = web.fleet
    const ending = before(table, async (name) => {
      if (name === 'update' || name === 'transact')
        await web.fleet.pays(String(agent.userId), 'canceled')
    })
    const original = services.table
    services.table = ending
    try {
      for (const verb of verbs) {
        await web.fleet.pays(String(agent.userId))
        expect([verb, await tell(agent, verb)]).toEqual([verb, { status: 402, body: unpaid }])
      }
      expect(await web.fleet.row(agent)).toMatchObject({ desired: 'stopped', generation: 1 })
      const user = await web.person()
      const late = before(table, async (name) => {
        if (name === 'transact') await web.fleet.pays(user, 'canceled')
      })
      services.table = late
      const body = { name: 'Ada' }
      const request = await web.call('POST', '/api/agents/provision', { user, body })
      expect(request).toEqual({ status: 402, body: unpaid })
    } finally {
      services.table = original
    }
  })

  it('is started by an admin who owns it', async () => {
    const admin = await web.person('free', { status: 'inactive', isAdmin: true })
    const agent = await running(admin)
    for (const verb of verbs) expect((await tell(agent, verb)).status).toBe(200)
  })
})

describe('an agent whose owner uses more than 120 % of the storage', () => {
  const quota = 5 * 1024 ** 3

  it('is not started or woken, and goes on running', async () => {
    const agent = await running()
    const userId = String(agent.userId)
    const use = (taken: number, reserved = 0) =>
      web.fleet.table.update(storageRows.key({ userId }), { set: { taken, reserved } })
    const used = 1.2 * quota + 1
    await use(used)
    const refusal = { status: 402, body: { code: 'STORAGE_LIMIT_REACHED', used, quota } }
    for (const verb of verbs) expect([verb, await tell(agent, verb)]).toMatchObject([verb, refusal])
    expect(await web.fleet.row(agent)).toMatchObject({ status: 'running', generation: 1 })
    const asleep = { ...agent, asleep: true as const }
    await expect(wakeAgent(web.fleet.services, { agent: asleep })).rejects.toMatchObject({
      code: 'STORAGE_LIMIT_REACHED',
    })
    // A reservation does not count as usage.
    await use(used, 1)
    expect(await tell(agent, 'restart')).toMatchObject({ status: 200 })
  })
})

describe('an agent that an operator has stopped', () => {
  async function stoppedByOperator(): Promise<Agent> {
    const agent = await running()
    await stopAgent(web.fleet.services, { agent, by: 'operator' })
    return web.fleet.until(agent, ({ taskStatus }) => taskStatus === 'STOPPED')
  }

  const refusal = {
    error: 'The agent was stopped by an operator',
    code: 'STOPPED_BY_OPERATOR',
    status: 'stopped',
  }

  it.each(verbs)('is not started by its owner’s %s', async (verb) => {
    const agent = await stoppedByOperator()
    expect(await tell(agent, verb)).toEqual({ status: 409, body: refusal })
    expect(await web.fleet.row(agent)).toEqual(agent)
  })

  it('stays stopped if its owner stops it again, or changes its config', async () => {
    const agent = await stoppedByOperator()
    expect(await tell(agent, 'stop')).toMatchObject({ status: 200 })
    expect(await configure(agent, { systemPrompt: 'Sing.' })).toMatchObject({ status: 200 })
    expect(await tell(agent, 'start')).toEqual({ status: 409, body: refusal })
    expect(await web.fleet.wantedTasks(agent)).toEqual([])
  })

  it('stays stopped if the operator stopped it during the start', async () => {
    const { table, services } = web.fleet
    for (const verb of ['restart', 'update', 'repair']) {
      const agent = await running()
      let done = false
      services.table = before(table, async (name) => {
        if (done || (name !== 'update' && name !== 'transact')) return
        done = true
        await stopAgent({ ...services, table }, { agent, by: 'operator' })
      })
      try {
        expect([verb, await tell(agent, verb)]).toEqual([verb, { status: 409, body: refusal }])
      } finally {
        services.table = table
      }
      expect(await web.fleet.row(agent)).toMatchObject({ desired: 'stopped', generation: 1 })
    }
  })

  it('is not started by automatic restarts', async () => {
    const agent = await running()
    const { services } = web.fleet
    await stopAgent(services, { agent, by: 'operator' })
    expect(await startGeneration(services, { agent, reason: 'host-lost' })).toMatchObject({
      desired: 'stopped',
      generation: agent.generation,
    })
    expect(await web.fleet.row(agent)).toMatchObject({ stoppedByOperator: true })
  })
})
