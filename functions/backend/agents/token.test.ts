import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { type Backend, startBackend } from '#tests/support/agents/backend-agents.ts'

let backend: Backend

beforeAll(async () => {
  backend = await startBackend()
})
afterAll(() => backend.fleet.close())
beforeEach(() => backend.fleet.forget())

const pathOf = (agent: Agent) => `/api/agents/${agent.id}/token`

async function running(): Promise<{ agent: Agent; user: string }> {
  const user = await backend.subscriber('solo')
  const agent = await backend.made(user)
  await backend.call('POST', `/api/agents/${agent.id}/start`, { user })
  return { agent: await backend.fleet.untilRunning(agent), user }
}

/** The gateway token in the container's environment. */
const tokenIn = async (agent: Agent) => (await backend.fleet.environmentOf(agent)).GATEWAY_TOKEN

describe('the token of an agent’s gateway', () => {
  it('is the token that its container accepts', async () => {
    const { agent, user } = await running()
    const { status, body } = await backend.call('GET', pathOf(agent), { user })
    expect([status, body]).toEqual([200, { token: await tokenIn(agent) }])
  })

  it('is void once it is rotated, in the container too', async () => {
    const { agent, user } = await running()
    const old = await tokenIn(agent)
    const { status, body } = await backend.call('POST', pathOf(agent), { user })
    expect(status).toBe(200)
    expect(body).toEqual({ token: expect.stringMatching(/^[\w-]{43}$/) })
    expect(body.token).not.toBe(old)
    const again = await backend.fleet.untilRunning(agent)
    expect(again).toMatchObject({ generation: 2, tokenVersion: 2 })
    expect(await tokenIn(again)).toBe(body.token)
    expect(await backend.fleet.wantedTasks(agent)).toHaveLength(1)
    expect((await backend.call('GET', pathOf(agent), { user })).body).toEqual(body)
  })

  it('the gateway token of a stopped agent is rotated without starting it', async () => {
    const user = await backend.subscriber('solo')
    const agent = await backend.made(user)
    const before = await backend.call('GET', pathOf(agent), { user })
    const { body } = await backend.call('POST', pathOf(agent), { user })
    expect(body.token).not.toBe(before.body.token)
    expect(await backend.fleet.row(agent)).toMatchObject({ generation: 0, status: 'pending' })
    expect(backend.fleet.sent).toEqual([])
  })

  it('stays valid while the container cannot be replaced', async () => {
    const { agent, user } = await running()
    const { status } = await backend.call('POST', pathOf(agent), { user, killed: true })
    expect(status).toBe(500)
    expect(await backend.fleet.row(agent)).toMatchObject({ tokenVersion: 1, generation: 1 })
  })

  it('is shown only to the owner', async () => {
    const user = await backend.subscriber('solo')
    const agent = await backend.made(user)
    for (const other of [backend.newUser(), null])
      for (const method of ['GET', 'POST'])
        expect(await backend.call(method, pathOf(agent), { user: other })).toEqual({
          status: 404,
          body: { error: 'Agent not found' },
        })
    expect((await backend.fleet.row(agent)).tokenVersion).toBe(1)
  })

  it('the gateway token of the platform’s own agent is shown only to the platform', async () => {
    const agent = await backend.made(null)
    expect((await backend.call('GET', pathOf(agent))).status).toBe(200)
    const user = backend.newUser()
    expect((await backend.call('GET', pathOf(agent), { user })).status).toBe(404)
  })
})
