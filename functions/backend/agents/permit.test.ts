import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { type Backend, startBackend } from '#tests/support/agents/backend-agents.ts'

let backend: Backend

beforeAll(async () => {
  backend = await startBackend()
})
afterAll(() => backend.fleet.close())
beforeEach(() => backend.fleet.forget())

/** Every way to start an agent. */
const doors = {
  start: (agent: Agent) => [`/api/agents/${agent.id}/start`],
  restart: (agent: Agent) => [`/api/agents/${agent.id}/restart`],
  update: (agent: Agent) => [`/api/agents/${agent.id}/update`],
  repair: (agent: Agent) => [`/api/agents/${agent.id}/repair`],
  deploy: ({ id }: Agent) => [
    '/api/deployments',
    { agentId: id, config: { systemPrompt: 'Sing.' } },
  ],
} satisfies Record<string, (agent: Agent) => [string, object?]>

const names = Object.keys(doors) as (keyof typeof doors)[]

function open(name: keyof typeof doors, agent: Agent, user: string | null) {
  const [path, body] = doors[name](agent) as [string, object?]
  return backend.call('POST', path, { user, ...(body && { body }) })
}

/** An agent of a user with a plan. */
async function made(): Promise<Agent & { userId: string }> {
  const user = await backend.subscriber('solo')
  return { ...(await backend.made(user)), userId: user }
}

describe('an agent whose owner’s plan has ended', () => {
  it.each(names)('is started by an operator, and not by %s for its owner', async (name) => {
    const agent = await made()
    await backend.fleet.pays(agent.userId, 'canceled')
    expect(await open(name, agent, agent.userId)).toEqual({
      status: 402,
      body: { error: 'An active subscription is required', code: 'SUBSCRIPTION_REQUIRED' },
    })
    expect(await backend.fleet.row(agent)).toMatchObject({ generation: 0, config: {} })
    const answer = open(name, agent, null)
    await backend.fleet.untilRunning(agent)
    expect((await answer).status).toBe(name === 'deploy' ? 201 : 200)
  })

  it('gets another token only once it is stopped', async () => {
    const agent = await made()
    await open('start', agent, agent.userId)
    const row = await backend.fleet.untilRunning(agent)
    await backend.fleet.pays(agent.userId, 'past_due')
    const rotate = () =>
      backend.call('POST', `/api/agents/${agent.id}/token`, { user: agent.userId })
    expect(await rotate()).toMatchObject({ status: 402, body: { code: 'SUBSCRIPTION_REQUIRED' } })
    expect(await backend.fleet.row(agent)).toEqual(row)
    await backend.call('POST', `/api/agents/${agent.id}/stop`, { user: agent.userId })
    expect((await rotate()).status).toBe(200)
  })

  it('has no plan if the owner has no account', async () => {
    const user = backend.newUser()
    const agent = await backend.made(user)
    expect((await open('start', agent, user)).status).toBe(402)
  })
})

describe('an agent that an operator has stopped', () => {
  async function stopped(): Promise<Agent & { userId: string }> {
    const agent = await made()
    await open('start', agent, agent.userId)
    await backend.fleet.untilRunning(agent)
    await backend.call('POST', `/api/agents/${agent.id}/stop`)
    await backend.fleet.until(agent, ({ taskStatus }) => taskStatus === 'STOPPED')
    return agent
  }

  it.each(names)('is started again by an operator, and not by %s for its owner', async (name) => {
    const agent = await stopped()
    const row = await backend.fleet.row(agent)
    expect(await open(name, agent, agent.userId)).toEqual({
      status: 409,
      body: {
        error: 'The agent was stopped by an operator',
        code: 'STOPPED_BY_OPERATOR',
        status: 'stopped',
      },
    })
    expect(await backend.fleet.row(agent)).toEqual(row)
    const answer = open(name, agent, null)
    await backend.fleet.untilRunning(agent)
    expect((await answer).status).toBe(name === 'deploy' ? 201 : 200)
    // After this, the owner can start it again.
    await backend.call('POST', `/api/agents/${agent.id}/stop`, { user: agent.userId })
    expect((await open('start', agent, agent.userId)).status).toBe(200)
  })
})
