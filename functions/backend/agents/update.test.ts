import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { type Backend, startBackend } from '#tests/support/agents/backend-agents.ts'
import { crashingImage, otherImage, silentImage } from '#tests/support/agents/fleet.ts'

let backend: Backend

beforeAll(async () => {
  backend = await startBackend()
})
afterAll(() => backend.fleet.close())
beforeEach(() => backend.fleet.forget())

const telegramToken = '123456789:AAF-of-a-bot-that-is-nobodys-wxyz'

async function made(config: object = {}): Promise<{ agent: Agent; user: string; path: string }> {
  const user = await backend.subscriber('solo')
  const agent = await backend.made(user, { name: 'Ada', config })
  return { agent, user, path: `/api/agents/${agent.id}` }
}

describe('PUT /api/agents/:id', () => {
  it('merges the config and seals its secrets, on every route that accepts one', async () => {
    const { agent, user, path } = await made({ telegramToken, kept: 1, mood: 'blue' })
    const body = {
      config: { mood: null, discordBotToken: 'discord-token', telegramToken: '••••wxyz' },
    }
    expect((await backend.call('PUT', path, { user, body })).status).toBe(200)
    const deployment = { agentId: agent.id, config: { whatsappToken: 'whatsapp-token' } }
    const deploying = backend.call('POST', '/api/deployments', { user, body: deployment })
    const row = await backend.fleet.untilRunning(agent)
    expect((await deploying).status).toBe(201)
    expect(row.config).toEqual({ kept: 1 })
    for (const token of [telegramToken, 'discord-token', 'whatsapp-token'])
      expect(JSON.stringify(row)).not.toContain(token)
    expect(await backend.fleet.environmentOf(row)).toMatchObject({
      DISCORD_BOT_TOKEN: 'discord-token',
      WHATSAPP_TOKEN: 'whatsapp-token',
    })
  })

  it('checks config, plan and provider together', async () => {
    const { agent, user, path } = await made()
    const body = { plan: 'solo', config: { plan: 'collective', aiProvider: 'openai' } }
    const { body: answer } = await backend.call('PUT', path, { user, body })
    expect(answer).toMatchObject({ plan: 'solo', aiProvider: 'openai' })
    expect(await backend.fleet.row(agent)).toMatchObject({ plan: 'solo', aiProvider: 'openai' })
  })
})

describe('POST /api/agents/:id/update', () => {
  it('starts the agent on another image, in the backend’s format', async () => {
    const { agent, user, path } = await made()
    const body = { image: otherImage }
    const answer = {
      success: true,
      status: 'provisioning',
      image: otherImage,
      previousImage: 'registry.example/agent:1.2.3',
      runtimeVersion: null,
    }
    const updated = await backend.call('POST', `${path}/update`, { user, body })
    expect(updated).toEqual({ status: 200, body: answer })
    const row = await backend.fleet.untilRunning(agent)
    expect(row.image).toBe(otherImage)
    expect((await backend.call('GET', path, { user })).body.runtimeVersion).toBe('2.0.0')
  })

  it('names no version before the first run, and never an image that cannot be fetched', async () => {
    const { agent, user, path } = await made()
    const version = async () => (await backend.call('GET', path, { user })).body.runtimeVersion
    const missing = 'registry.example/agent:9.9.9'
    const update = (image: string) =>
      backend.call('POST', `${path}/update`, { user, body: { image } })
    expect(await version()).toBeNull()
    const refused = (await update(missing)).body
    expect([refused.image, refused.runtimeVersion]).toEqual([missing, null])
    await backend.fleet.until(agent, ({ taskStatus }) => taskStatus === 'STOPPED')
    expect(await version()).toBeNull()

    await update(otherImage)
    await backend.fleet.until(
      agent,
      ({ status, image }) => status === 'running' && image === otherImage,
    )
    expect(await version()).toBe('2.0.0')
    expect((await update(missing)).body).toMatchObject({ image: missing, runtimeVersion: '2.0.0' })
    await backend.fleet.until(
      agent,
      ({ image, taskStatus }) => image === missing && taskStatus === 'STOPPED',
    )
    expect(await version()).toBe('2.0.0')
    expect((await backend.call('POST', `${path}/restart`, { user })).body.runtimeVersion).toBe(
      '2.0.0',
    )

    // It never answers, but it is the image that runs.
    await update(silentImage)
    await backend.fleet.until(
      agent,
      ({ image, taskStatus }) => image === silentImage && taskStatus === 'RUNNING',
    )
    expect(await version()).toBe('1')
  })

  it('POST /api/agents/:id/update with an idempotency key runs once', async () => {
    const { agent, user, path } = await made()
    const headers = { 'idempotency-key': 'once' }
    const update = () =>
      backend.call('POST', `${path}/update`, { user, headers, body: { image: otherImage } })
    expect(await update()).toEqual(await update())
    expect((await backend.fleet.row(agent)).generation).toBe(1)
  })

  it.each(['', 'UPPER', 'a b', 'http://x/y', 'x@sha256:1', {}, 7])(
    'rejects the image %j, and changes nothing',
    async (image) => {
      const { agent, user, path } = await made()
      const { status, body } = await backend.call('POST', `${path}/update`, {
        user,
        body: { image },
      })
      expect([status, body]).toEqual([400, { error: expect.stringContaining('image') }])
      expect(await backend.fleet.row(agent)).toEqual(agent)
    },
  )
})

describe('POST /api/agents/:id/update and /reset-memory', () => {
  it.each(['update', 'reset-memory'])(
    '%s is rejected for another user’s agent, and while provisioning is disabled',
    async (verb) => {
      const { agent, user, path } = await made()
      const body = { image: crashingImage }
      const stranger = backend.newUser()
      expect(await backend.call('POST', `${path}/${verb}`, { user: stranger, body })).toEqual({
        status: 404,
        body: { error: 'Agent not found' },
      })
      const killed = await backend.call('POST', `${path}/${verb}`, { user, body, killed: true })
      expect(killed).toMatchObject({ status: 500, body: { code: 'PROVISIONING_DISABLED' } })
      const bare = { headers: { authorization: '' } }
      expect((await backend.call('POST', `${path}/${verb}`, bare)).status).toBe(401)
      expect(await backend.fleet.row(agent)).toEqual(agent)
    },
  )

  it('confirms a reset', async () => {
    const { user, path } = await made()
    expect(await backend.call('POST', `${path}/reset-memory`, { user })).toEqual({
      status: 200,
      body: { success: true, message: expect.any(String) },
    })
  })
})
