import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Backend, startBackend } from '#tests/support/agents/backend-agents.ts'

let backend: Backend

beforeAll(async () => {
  backend = await startBackend()
})
afterAll(() => backend.fleet.close())
beforeEach(() => backend.fleet.forget())

describe('the life of an agent', () => {
  it('goes through every state in the backend’s format', async () => {
    const user = await backend.subscriber('solo')
    const agent = await backend.made(user)
    const path = `/api/agents/${agent.id}`
    const detail = {
      id: agent.id,
      status: 'pending',
      startedAt: null,
      plan: 'label',
      subdomain: agent.subdomain,
      url: `http://${agent.subdomain}.agents.localhost:3002`,
      runtimeVersion: null,
      verified: false,
      verificationType: null,
      attestationUid: null,
      verifiedAt: null,
      watchdog: { state: 'stopped', attempts: 0, incidents: [] },
    }
    expect((await backend.call('GET', path, { user })).body).toEqual(detail)
    const started = await backend.call('POST', `${path}/start`, { user })
    expect(started.body).toEqual({ success: true, status: 'provisioning' })
    const { startedAt, generation } = await backend.fleet.untilRunning(agent)
    expect((await backend.call('GET', path, { user })).body).toEqual({
      ...detail,
      status: 'active',
      startedAt,
      runtimeVersion: '1.2.3',
      watchdog: { state: 'starting', attempts: 0, incidents: [] },
    })
    const again = await backend.call('POST', `${path}/start`, { user })
    expect(again.body).toEqual({ success: true, status: 'active' })
    const restarted = await backend.call('POST', `${path}/restart`, { user })
    expect(restarted.body).toEqual({
      success: true,
      status: 'provisioning',
      runtimeVersion: '1.2.3',
    })
    expect((await backend.fleet.untilRunning(agent)).generation).toBe(generation + 1)
    const repaired = await backend.call('POST', `${path}/repair`, { user })
    expect(repaired.body).toEqual({
      success: true,
      status: 'provisioning',
      message: expect.any(String),
    })
    const stopped = await backend.call('POST', `${path}/stop`, { user })
    expect(stopped.body).toEqual({ success: true, status: 'stopped' })
    await backend.fleet.until(agent, (row) => row.previousTaskArn === undefined)
    expect(await backend.fleet.wantedTasks(agent)).toEqual([])
    expect((await backend.call('GET', path, { user })).body).toMatchObject({
      status: 'stopped',
      startedAt: null,
      runtimeVersion: '1.2.3',
    })
  })

  it('applies changes at the next start', async () => {
    const user = await backend.subscriber('solo')
    const agent = await backend.made(user, { name: 'Ada', config: { model: 'a/b', kept: 1 } })
    const { status, body } = await backend.call('PUT', `/api/agents/${agent.id}`, {
      user,
      body: { plan: 'solo', aiProvider: 'openai', config: { systemPrompt: 'Sing.' } },
    })
    expect(status).toBe(200)
    expect(body).toEqual({
      id: agent.id,
      plan: 'solo',
      aiProvider: 'openai',
      subdomain: agent.subdomain,
      status: 'pending',
      message: 'Updated',
    })
    await backend.call('POST', `/api/agents/${agent.id}/start`, { user })
    const row = await backend.fleet.untilRunning(agent)
    expect(row.config).toEqual({ model: 'a/b', kept: 1, systemPrompt: 'Sing.' })
    expect(await backend.fleet.environmentOf(row)).toMatchObject({
      AI_MODEL: 'a/b',
      SYSTEM_PROMPT: 'Sing.',
    })
    const empty = await backend.call('PUT', `/api/agents/${agent.id}`, { user, body: {} })
    expect(empty.body).toMatchObject({ plan: 'solo', message: expect.stringContaining('start') })
  })
})

describe('POST /api/deployments', () => {
  it('starts an agent, waits for it, and returns 200 on a repeat', async () => {
    const user = await backend.subscriber('solo')
    const agent = await backend.made(user)
    const config = { systemPrompt: 'Sing.' }
    const answer = backend.call('POST', '/api/deployments', {
      user,
      body: { agentId: agent.id, config },
    })
    const row = await backend.fleet.untilRunning(agent)
    const deployed = {
      id: `deploy-${agent.id}`,
      agentId: agent.id,
      subdomain: agent.subdomain,
      url: `http://${agent.subdomain}.agents.localhost:3002`,
      status: 'active',
      runtimeVersion: '1.2.3',
    }
    expect(await answer).toEqual({ status: 201, body: deployed })
    expect(await backend.fleet.environmentOf(row)).toMatchObject({ SYSTEM_PROMPT: 'Sing.' })
    const again = await backend.call('POST', '/api/deployments', {
      user,
      body: { agentId: agent.id },
    })
    expect(again).toEqual({ status: 200, body: deployed })
  })

  it('restarts a container that runs with another config', async () => {
    const user = await backend.subscriber('solo')
    const agent = await backend.made(user)
    const deploy = (config: object) =>
      backend.call('POST', '/api/deployments', { user, body: { agentId: agent.id, config } })
    const first = deploy({})
    await backend.fleet.untilRunning(agent)
    expect((await first).status).toBe(201)
    expect(await deploy({ note: 'for no one' })).toMatchObject({ status: 200 })
    const answer = deploy({ systemPrompt: 'Sing.' })
    const row = await backend.fleet.until(
      agent,
      ({ status, generation }) => status === 'running' && generation === 2,
    )
    expect(await answer).toMatchObject({ status: 201, body: { status: 'active' } })
    expect(row.config).toEqual({ note: 'for no one', systemPrompt: 'Sing.' })
    expect(await backend.fleet.environmentOf(row)).toMatchObject({ SYSTEM_PROMPT: 'Sing.' })
  })

  it('reports an agent that cannot start', async () => {
    const agent = await backend.made(null, { name: 'Ada', config: { plan: 'network' } })
    const answer = backend.call('POST', '/api/deployments', { body: { agentId: agent.id } })
    await backend.fleet.until(agent, (row) => row.status === 'error')
    expect(await answer).toMatchObject({ status: 201, body: { status: 'error' } })
  })

  it.each([[{}], [{ agentId: 7 }], [{ agentId: '' }], [{ agentId: 'a', config: 7 }]])(
    'rejects %j',
    async (body) => {
      expect((await backend.call('POST', '/api/deployments', { body })).status).toBe(400)
    },
  )
})

describe('while provisioning is switched off', () => {
  it.each(['start', 'stop', 'restart', 'repair'])('%s returns 500', async (verb) => {
    const agent = await backend.made(backend.newUser())
    const { status, body } = await backend.call('POST', `/api/agents/${agent.id}/${verb}`, {
      killed: true,
    })
    expect([status, body]).toEqual([
      500,
      {
        error: expect.stringMatching(/cannot be started or stopped/) as string,
        code: 'PROVISIONING_DISABLED',
      },
    ])
    expect(await backend.fleet.row(agent)).toEqual(agent)
  })

  it('a deployment returns 500, and the other routes work', async () => {
    const agent = await backend.made(backend.newUser())
    const body = { agentId: agent.id }
    expect((await backend.call('POST', '/api/deployments', { killed: true, body })).status).toBe(
      500,
    )
    expect((await backend.call('GET', `/api/agents/${agent.id}`, { killed: true })).status).toBe(
      200,
    )
    const created = await backend.call('POST', '/api/agents', { killed: true, body: { name: 'A' } })
    expect(created.status).toBe(201)
  })
})
