import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fallAsleep, isIdle } from '#shared/agents/fleet/activity/sleep.ts'
import { wakeAgent } from '#shared/agents/fleet/activity/wake.ts'
import { startAgent } from '#shared/agents/fleet/lifecycle/start.ts'
import { stopAgent } from '#shared/agents/fleet/lifecycle/stop.ts'
import { agentKey } from '#shared/agents/record/agent.ts'
import { isAwake } from '#shared/agents/record/awake.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import { listAgents } from '#shared/agents/record/list.ts'
import type { Agent } from '#shared/agents/record/record.ts'
import { newId } from '#shared/platform/ids.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { startWebAgents, type WebAgents } from '#tests/support/agents/web-agents.ts'
import { before } from '#tests/support/platform/recorded-table.ts'
import type { AgentConfigChange } from '../../../clients/typescript/index.ts'

let on: WebAgents

beforeAll(async () => {
  on = await startWebAgents()
  // There is no limit on one machine.
  on.fleet.services.config = { ...on.fleet.services.config, deployed: true }
})
afterAll(() => on.fleet.close())
beforeEach(() => on.fleet.forget())

const awakeOf = async (user: string): Promise<Agent[]> =>
  (await listAgents(on.fleet, { userId: user, consistent: true })).filter(isAwake)

/** Creates a user with agents, oldest first. As many as the plan allows are starting. */
async function owner(count: number, config = {}, plan = 'collective') {
  const user = await on.person(plan)
  const agents: Agent[] = []
  while (agents.length < count) agents.push(await on.provisioned(user, config))
  return { user, agents }
}

const tell = (agent: Agent, verb: string) =>
  on.call('POST', `/api/instance/${agent.id}/${verb}`, { user: String(agent.userId) })

/** Runs an agent whose last activity was the given time ago. */
async function runIdle(agent: Agent, minutes: number): Promise<Agent> {
  const running = await on.fleet.until(agent, ({ taskHealth }) => taskHealth === 'HEALTHY')
  const at = new Date(Date.now() - minutes * 60_000).toISOString()
  const idle = await changeAgent(on.fleet, {
    agent: running,
    decide: (current) => ({
      ...current,
      startedAt: at,
      lastActiveAt: at,
      busyUntil: undefined,
      watchdog: { ...current.watchdog, state: 'running' },
    }),
  })
  if (idle === undefined) throw new Error('gone')
  return idle
}

describe('a new agent', () => {
  it('sleeps after 15 minutes unless configured otherwise, null for never', async () => {
    const user = await on.person('collective')
    const sleepOf = async (config?: AgentConfigChange, change?: AgentConfigChange) => {
      const { id } = await on.provisioned(user, config)
      if (change !== undefined) {
        const body = { config: change }
        await on.call('PUT', `/api/agents/${id}/config`, { user, body })
      }
      const shown = await on.call('GET', `/api/agents/${id}`, { user })
      return (shown.body['agent'] as { sleepAfterMinutes: number | null }).sleepAfterMinutes
    }
    expect(await sleepOf()).toBe(15)
    expect(await sleepOf({}, { systemPrompt: 'Hi.' })).toBe(15)
    expect(await sleepOf({ sleepAfterMinutes: 60 })).toBe(60)
    expect(await sleepOf({ sleepAfterMinutes: null })).toBeNull()
    expect(await sleepOf({}, { sleepAfterMinutes: null })).toBeNull()
    expect(await sleepOf({ sleepAfterMinutes: 60 }, { sleepAfterMinutes: null })).toBeNull()
  })

  it('a new agent whose container runs a bot stays awake, since no message there could wake it', async () => {
    const { user, agents } = await owner(1)
    const agent = await runIdle(agents[0] as Agent, 60)
    expect(isIdle(agent, Date.now())).toBe(true)
    const body = { config: { discordBotToken: 'a-token', sleepAfterMinutes: 5 } }
    const path = `/api/agents/${agent.id}/config?apply=false`
    expect((await on.call('PUT', path, { user, body })).status).toBe(200)
    expect(isIdle(await on.fleet.row(agent), Date.now())).toBe(false)
    const shown = await on.call('GET', `/api/agents/${agent.id}`, { user })
    expect(shown.body['agent']).toMatchObject({ sleepAfterMinutes: null })
  })

  it('a new agent that sleeps is woken when its container gets a bot', async () => {
    const { user, agents } = await owner(1)
    const agent = await changeAgent(on.fleet, {
      agent: agents[0] as Agent,
      decide: (current) => fallAsleep(current, Date.now()),
    })
    const body = { config: { discordBotToken: 'a-token' } }
    await on.call('PUT', `/api/agents/${agent?.id}/config`, { user, body })
    expect(await on.fleet.row(agents[0] as Agent)).toMatchObject({ desired: 'running' })
  })

  it('is created asleep at the limit of awake agents', async () => {
    const { agents } = await owner(6)
    expect(agents.map(({ status }) => status)).toEqual([
      ...Array(4).fill('provisioning'),
      ...Array(2).fill('stopped'),
    ])
    expect(agents[4]).toMatchObject({ asleep: true, stopReason: { code: 'Asleep' } })
  })

  it('a new agent whose container runs a bot is rejected at the limit, and nothing is created', async () => {
    const { user } = await owner(4)
    const { status, body } = await on.call('POST', '/api/agents/provision', {
      user,
      body: { name: 'Bot', config: { discordBotToken: 'a-token' } },
    })
    expect([status, body]).toMatchObject([402, { code: 'AWAKE_LIMIT_REACHED', limit: 4 }])
    expect((await on.call('GET', '/api/agents', { user })).body).toMatchObject({ count: 4 })
    const profile = await userStore(on.fleet.table, user).get('profile')
    expect(profile?.agentCount).toBe(4)
  })
})

describe('the limit of awake agents', () => {
  it.each(['start', 'restart', 'repair', 'update'])(
    'rejects a %s, names the awake agents, and changes nothing',
    async (verb) => {
      const { agents } = await owner(5)
      const rests = await on.fleet.row(agents[4] as Agent)
      on.fleet.forget()
      const { status, body } = await tell(rests, verb)
      expect(status).toBe(402)
      expect(body).toEqual({
        error:
          'The plan allows 4 awake agents, and these are awake: Ada, Ada, Ada, Ada. Stop one, or let it sleep',
        code: 'AWAKE_LIMIT_REACHED',
        current: 4,
        limit: 4,
        awake: agents
          .slice(0, 4)
          .toReversed()
          .map(({ id, name }) => ({ id, name })),
      })
      expect(await on.fleet.row(rests)).toEqual(rests)
      expect(on.fleet.sent).toEqual([])
    },
  )

  it('lets another start once one is stopped or deleted, and running ones restart', async () => {
    const { user, agents } = await owner(7)
    const [first, second, third, , fifth, sixth, seventh] = agents as Required<Agent[]> & Agent[]
    expect((await tell(third as Agent, 'restart')).status).toBe(200)
    expect((await tell(first as Agent, 'stop')).status).toBe(200)
    expect((await tell(fifth as Agent, 'start')).status).toBe(200)
    expect((await tell(sixth as Agent, 'start')).status).toBe(402)
    expect((await on.call('DELETE', `/api/agents/${second?.id}`, { user })).status).toBe(200)
    expect((await tell(sixth as Agent, 'start')).status).toBe(200)
    expect((await tell(seventh as Agent, 'start')).status).toBe(402)
  })

  it('applies to no operator, no admin and no agent of the platform’s own', async () => {
    const { agents } = await owner(5)
    const fifth = agents[4] as Agent
    expect(await startAgent(on.fleet.services, { agent: fifth, by: 'operator' })).toMatchObject({
      desired: 'running',
    })
    const admin = await on.person('solo', { isAdmin: true })
    for (let n = 0; n < 5; n++)
      expect(await on.provisioned(admin)).toMatchObject({ desired: 'running' })
  })

  it('does not exist on one machine', async () => {
    const { user, agents } = await owner(5)
    const { status } = await on.call('POST', `/api/instance/${agents[4]?.id}/start`, {
      user,
      settings: { deployed: false },
    })
    expect(status).toBe(200)
    expect(await awakeOf(user)).toHaveLength(5)
  })

  it('the limit of awake agents of a smaller plan neither stops nor starts agents', async () => {
    const { user, agents } = await owner(4)
    const rests = await stopAgent(on.fleet.services, { agent: agents[0] as Agent })
    const profile = userStore(on.fleet.table, user)
    await profile.update('profile', { set: { plan: 'label', agentCount: 1 } })
    expect(await awakeOf(user)).toHaveLength(3)
    const again = startAgent(on.fleet.services, { agent: rests })
    await expect(again).rejects.toMatchObject({
      code: 'AWAKE_LIMIT_REACHED',
      details: { current: 3, limit: 1 },
    })
    expect(await awakeOf(user)).toHaveLength(3)
  })

  it('holds under concurrent starts, stops and creations, even if processes are killed', async () => {
    const verb = fc.constantFrom('start', 'stop', 'make', 'wake', 'delete')
    const acts = fc.array(
      fc.record({ verb, which: fc.nat(9), dies: fc.option(fc.integer({ min: 1, max: 3 })) }),
      { minLength: 2, maxLength: 12 },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(acts, { minLength: 1, maxLength: 3 }), async (rounds) => {
        const { user } = await owner(5, {}, 'collective')
        for (const round of rounds) {
          const agents = await listAgents(on.fleet, { userId: user })
          await Promise.allSettled(
            round.map(async ({ verb, which, dies }) => {
              let writes = 0
              const table = before(on.fleet.table, (name) => {
                if (['put', 'update', 'delete', 'transact'].includes(name) && ++writes === dies)
                  throw new Error('the process has died')
              })
              const services = { ...on.fleet.services, table }
              const agent = agents[which % agents.length]
              if (verb === 'make' || agent === undefined) return on.provisioned(user)
              if (verb === 'start') return startAgent(services, { agent })
              if (verb === 'stop') return stopAgent(services, { agent })
              if (verb === 'wake') return wakeAgent(services, { agent })
              return on.call('DELETE', `/api/agents/${agent.id}`, { user })
            }),
          )
          expect((await awakeOf(user)).length).toBeLessThanOrEqual(4)
          on.fleet.forget()
        }
        // A failed start does not occupy a place: as many start as the plan allows.
        for (const agent of await listAgents(on.fleet, { userId: user }))
          await startAgent(on.fleet.services, { agent }).catch(() => undefined)
        const all = await listAgents(on.fleet, { userId: user })
        expect(await awakeOf(user)).toHaveLength(Math.min(4, all.length))
      }),
      { numRuns: 25, interruptAfterTimeLimit: 60_000 },
    )
  }, 120_000)
})

describe('an agent that is woken at the limit of awake agents', () => {
  it('replaces the agent that has been idle for the longest time', async () => {
    const { user, agents } = await owner(5)
    const [first, second, third, fourth] = agents as [Agent, Agent, Agent, Agent]
    for (const [agent, minutes] of [
      [first, 3],
      [second, 9],
      [third, 5],
      [fourth, 0],
    ] as const)
      await runIdle(agent, minutes)
    await wakeAgent(on.fleet.services, { agent: agents[4] as Agent })
    expect(await on.fleet.row(second)).toMatchObject({
      status: 'stopped',
      asleep: true,
      stopReason: { code: 'Asleep', text: expect.stringContaining('another agent') },
    })
    expect((await awakeOf(user)).map(({ id }) => id)).not.toContain(second.id)
    await on.fleet.until(second, ({ taskStatus }) => taskStatus === 'STOPPED')
    expect(await awakeOf(user)).toHaveLength(4)
  })

  it.each([
    ['are working', { busyUntil: Date.now() + 3_600_000 }, {}],
    ['never sleep', {}, { sleepAfterMinutes: null }],
    ['run a bot', { secrets: { discordBotToken: 'sealed' } }, {}],
  ])('is rejected if the awake agents %s', async (_, fields, config) => {
    const { agents } = await owner(1, config, 'label')
    const busy = await runIdle(agents[0] as Agent, 60)
    await changeAgent(on.fleet, { agent: busy, decide: (current) => ({ ...current, ...fields }) })
    const other: Agent = {
      ...busy,
      id: newId('agt'),
      status: 'stopped',
      desired: 'stopped',
    }
    const asleep = { ...other, asleep: true as const, subdomain: 'other', taskArn: undefined }
    const { pk, sk } = agentKey({ userId: asleep.userId, agentId: asleep.id })
    await on.fleet.table.put({ ...asleep, config: {}, pk, sk })
    await expect(wakeAgent(on.fleet.services, { agent: asleep })).rejects.toMatchObject({
      code: 'AWAKE_LIMIT_REACHED',
    })
    expect(await on.fleet.row(busy)).toMatchObject({ desired: 'running' })
  })
})

it('many concurrent requests put only one agent to sleep', async () => {
  const { agents } = await owner(5)
  const [sleeping, ...others] = agents.toReversed() as [Agent, ...Agent[]]
  for (const agent of others) await runIdle(agent, 10)
  const requests = Array.from({ length: 6 }, () =>
    wakeAgent(on.fleet.services, { agent: sleeping }),
  )
  await Promise.all(requests)
  const awake = await awakeOf(String(sleeping.userId))
  expect(awake).toHaveLength(4)
  expect(awake.map(({ id }) => id)).toContain(sleeping.id)
})
