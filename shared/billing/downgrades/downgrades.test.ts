import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createAgent } from '#shared/agents/fleet/create.ts'
import { startAgent } from '#shared/agents/fleet/lifecycle/start.ts'
import { stopAgent } from '#shared/agents/fleet/lifecycle/stop.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import { type Downgrades, startDowngrades } from '#tests/support/billing/downgrades.ts'
import { trusted } from '#tests/support/platform/context.ts'

let on: Downgrades

beforeAll(async () => {
  on = await startDowngrades()
})
afterAll(() => on.fleet.close())
beforeEach(() => on.fleet.forget())

/** Creates a user with a plan and running agents, oldest first. */
async function paying(plan: 'solo' | 'collective', count: number) {
  const user = await on.person(plan)
  await on.plan(user, plan)
  await on.apply(user)
  return { user, agents: await on.agents(user, count) }
}

describe('a plan that ends', () => {
  it('stops every agent, gives the reason, and its owner cannot start one', async () => {
    const { user, agents } = await paying('solo', 2)
    const [agent] = agents as [Agent]
    await on.fleet.untilRunning(agent)
    await on.plan(user, 'solo', 'canceled')
    await on.apply(user)
    await on.fleet.until(agent, ({ taskStatus }) => taskStatus === 'STOPPED')
    expect(await on.run(agents)).toBe('00')
    expect(await on.shown(agent)).toMatchObject({
      status: 'stopped',
      stopReason: { code: 'PlanEnded', text: expect.stringMatching(/plan has ended.*kept until/) },
    })
    const refusal = { code: 'SUBSCRIPTION_REQUIRED', error: expect.any(String) }
    expect(await on.tell(agent, 'start')).toEqual({ status: 402, body: refusal })
    expect(on.subjects(user)).toEqual(['Your plan has ended'])
    expect(on.mailTo(user)?.text).toContain('Ada, Ada')
    expect(on.mailTo(user)?.text).toContain('http://localhost:3000/dashboard')
  })

  it('restarts them automatically once it is paid, and notifies once', async () => {
    const { user, agents } = await paying('solo', 2)
    await on.plan(user, 'solo', 'canceled')
    await on.apply(user)
    await on.plan(user, 'solo', 'active')
    await on.apply(user)
    await on.apply(user)
    expect(await on.run(agents)).toBe('11')
    await on.fleet.untilRunning(agents[0] as Agent)
    expect(await on.shown(agents[0] as Agent)).toMatchObject({
      status: 'running',
      stopReason: null,
    })
    expect(on.subjects(user)).toEqual(['Your plan has ended', 'Your agents have started again'])
  })

  it('notifies of each end and of each failed payment, also repeated ones', async () => {
    const { user, agents } = await paying('solo', 1)
    for (const status of ['past_due', 'active', 'past_due', 'canceled', 'active'] as const) {
      await on.plan(user, 'solo', status)
      await on.apply(user)
      await on.apply(user)
    }
    expect(await on.run(agents)).toBe('1')
    expect(on.subjects(user)).toEqual([
      'Your payment failed',
      'Your payment failed',
      'Your plan has ended',
      'Your agents have started again',
    ])
  })

  it('sends a notice even if no agent ran', async () => {
    const { user } = await paying('solo', 0)
    await on.plan(user, 'solo', 'canceled')
    await on.apply(user)
    expect(on.subjects(user)).toEqual(['Your plan has ended'])
  })

  it('stops nothing while a failed payment is retried', async () => {
    const { user, agents } = await paying('solo', 1)
    await on.plan(user, 'solo', 'past_due')
    await on.apply(user)
    expect(await on.run(agents)).toBe('1')
    expect(on.mailTo(user)).toMatchObject({
      subject: 'Your payment failed',
      text: expect.stringContaining('http://localhost:3000/dashboard'),
    })
  })
})

describe('a plan that is paid again', () => {
  it('starts agents whose containers run bots first, since no message could wake them', async () => {
    const { config } = on.fleet.services
    on.fleet.services.config = { ...config, deployed: true }
    onTestFinished(() => void (on.fleet.services.config = config))
    const { user, agents } = await paying('collective', 4)
    const [first] = agents as [Agent]
    await on.tell(first, 'stop')
    const bot = await on.provisioned(user, { discordBotToken: 'a-token' })
    await changeAgent(on.fleet, {
      agent: await on.fleet.row(first),
      decide: (current) => ({ ...current, asleep: true }),
    })
    await on.plan(user, 'collective', 'canceled')
    await on.apply(user)
    await on.plan(user, 'collective', 'active')
    await on.apply(user)
    expect(await on.run([...agents, bot])).toBe('11101')
  })

  it('starts agents up to the limit of awake agents, and the others sleep', async () => {
    const { config } = on.fleet.services
    on.fleet.services.config = { ...config, deployed: true }
    onTestFinished(() => void (on.fleet.services.config = config))
    const { user, agents } = await paying('collective', 6)
    expect(await on.run(agents)).toBe('111100')
    await on.plan(user, 'collective', 'canceled')
    await on.apply(user)
    expect(await on.run(agents)).toBe('000000')
    await on.plan(user, 'collective', 'active')
    await on.apply(user)
    expect(await on.run(agents)).toBe('111100')
    for (const agent of agents.slice(4))
      expect(await on.fleet.row(agent)).toMatchObject({ asleep: true, status: 'stopped' })
    expect(await on.fleet.row(agents[5] as Agent)).not.toHaveProperty('lapsedAt')
  })
})

describe('a smaller plan', () => {
  it('keeps the oldest agents running, and the others cannot be started', async () => {
    const { user, agents } = await paying('collective', 5)
    await on.plan(user, 'solo')
    await on.apply(user)
    expect(await on.run(agents)).toBe('11100')
    const newest = agents[4] as Agent
    expect(await on.shown(newest)).toMatchObject({ stopReason: { code: 'PlanLimit' } })
    expect(await on.tell(newest, 'start')).toEqual({
      status: 402,
      body: { error: 'Agent limit reached', code: 'AGENT_LIMIT_REACHED', current: 5, limit: 3 },
    })
    expect(on.subjects(user)).toEqual(['Some of your agents were stopped'])
  })

  it('starts the next agent if one is deleted', async () => {
    const { user, agents } = await paying('collective', 5)
    await on.plan(user, 'solo')
    await on.apply(user)
    await on.remove(agents[0] as Agent)
    await on.apply(user)
    expect(await on.run(agents)).toBe('-1110')
  })

  it('sends a notice each time it becomes smaller', async () => {
    const { user, agents } = await paying('collective', 4)
    for (const plan of ['solo', 'collective', 'solo'] as const) {
      await on.plan(user, plan)
      await on.apply(user)
    }
    expect(await on.run(agents)).toBe('1110')
    expect(on.subjects(user)).toEqual([
      'Some of your agents were stopped',
      'Your agents have started again',
      'Some of your agents were stopped',
    ])
  })
})

describe('a plan’s end does not affect', () => {
  it('an agent that its owner has stopped, before or in the meantime', async () => {
    const { user, agents } = await paying('solo', 2)
    const [before, meanwhile] = agents as [Agent, Agent]
    await on.tell(before, 'stop')
    await on.plan(user, 'solo', 'canceled')
    await on.apply(user)
    expect(await on.shown(before)).toMatchObject({ stopReason: { code: 'UserInitiated' } })
    expect(await on.tell(meanwhile, 'stop')).toMatchObject({ status: 200 })
    expect(await on.shown(meanwhile)).toMatchObject({ stopReason: { code: 'UserInitiated' } })
    await on.plan(user, 'solo', 'active')
    await on.apply(user)
    expect(await on.run(agents)).toBe('00')
  })

  it('an agent that an operator has stopped or started', async () => {
    const { user, agents } = await paying('solo', 2)
    const [first, second] = agents as [Agent, Agent]
    await stopAgent(on.fleet.services, { agent: first, by: 'operator' })
    await on.plan(user, 'solo', 'canceled')
    await on.apply(user)
    await startAgent(on.fleet.services, { agent: await on.fleet.row(second), by: 'operator' })
    await on.apply(user)
    expect(await on.run(agents)).toBe('01')
    await on.plan(user, 'solo', 'active')
    await on.apply(user)
    expect(await on.run(agents)).toBe('01')
  })

  it('the agents of a user who never had a plan, and of one without an account', async () => {
    const user = await on.person('free', { status: 'inactive' })
    for (const userId of [user, 'their-own-id']) {
      const input = { name: 'Ada', config: {}, userId }
      const agent = await createAgent(trusted(on.fleet.services), input)
      await startAgent(on.fleet.services, { agent, by: 'operator' })
      const started = await on.fleet.row(agent)
      await on.apply(userId)
      expect(await on.fleet.row(agent)).toEqual(started)
    }
    expect(on.subjects(user)).toEqual([])
  })

  it('the agents of an admin', async () => {
    const user = await on.person('solo', { status: 'active', isAdmin: true })
    const agents = await on.agents(user, 4)
    await on.plan(user, 'solo', 'canceled')
    await on.apply(user)
    expect(await on.run(agents)).toBe('1111')
  })
})

it('a deleted user, who has no due work left', async () => {
  const { user } = await paying('solo', 0)
  await on.plan(user, 'solo', 'canceled')
  const due = () => on.fleet.table.get({ pk: `user#${user}`, sk: 'entitlement' })
  expect(await due()).toHaveProperty('gsi1pk')
  await on.fleet.table.delete({ pk: `user#${user}`, sk: 'profile' })
  await on.apply(user)
  expect(await due()).not.toHaveProperty('gsi1pk')
})
