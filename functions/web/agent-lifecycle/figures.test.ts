import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { ownTimeouts, passTime } from '#tests/support/clock/time.ts'
import { useLifecycle } from '#tests/support/conversations/agent-lifecycle.ts'
import { say } from '../../../agent/gateway/testing/upstream.ts'

const someNumber = expect.any(Number)
const nothing = { cpu: null, memory: null, memoryPercent: null, uptimeMs: null }

const on = useLifecycle()

describe('the figures of an agent', () => {
  it('come from its container and from its usage', async () => {
    await on.say('How are you?')
    await on.say('And now?')
    const { status, body } = await on.get(`/api/agents/${on.agent.id}/stats`)
    expect(status).toBe(200)
    expect(body).toEqual({
      status: 'ok',
      stats: {
        agentId: on.agent.id,
        status: 'running',
        cpu: someNumber,
        memory: someNumber,
        memoryPercent: someNumber,
        uptimeMs: someNumber,
        messagesProcessed: 2,
        averageResponseMs: null,
        successRate: null,
        errorRate: null,
      },
    })
    const { memory, memoryPercent } = body.stats as Record<string, number>
    expect(memory).toBeGreaterThan(20_000_000)
    // Its plan is solo, with 2 GB.
    expect(memoryPercent).toBeCloseTo((Number(memory) / 2 ** 31) * 100, 1)
  })

  it('count its answers and its failures', async () => {
    const before = (await on.get(`/api/instance/${on.agent.id}/stats`)).body
    on.models.reply = (response) => void response.writeHead(500).end('{}')
    await on.say('Once more?')
    on.models.reply = (response) => say(response, 'Fine, thanks.')
    const { body } = await on.get(`/api/instance/${on.agent.id}/stats`)
    expect(body).toEqual({
      userId: on.ada.id,
      agentId: on.agent.id,
      status: 'running',
      health: 'healthy',
      cpu: someNumber,
      memory: someNumber,
      uptimeMs: someNumber,
      messages: Number(before.messages) + 1,
      errors: Number(before.errors) + 1,
      runtimeVersion: '2.1',
    })
  })

  it('are null while it is stopped, except figures that the platform counts', async () => {
    const stopped = await putAgent(on.table, on.ada.id, { status: 'stopped' })
    expect((await on.get(`/api/agents/${stopped.id}/stats`)).body.stats).toEqual({
      ...nothing,
      agentId: stopped.id,
      status: 'stopped',
      messagesProcessed: 0,
      averageResponseMs: null,
      successRate: null,
      errorRate: null,
    })
    const { body } = await on.get(`/api/instance/${stopped.id}/stats`)
    expect(body).toMatchObject({ health: 'stopped', cpu: null, messages: null })
  })

  it.each([
    ['nonsense', '{"cpuPercent":"all of it","memoryBytes":-5,"pids":{}}'],
    ['invalid JSON', 'fine'],
    ['a list', '[1,2]'],
    ['an error', undefined],
  ])('are null if it responds with %s', async (_, text) => {
    const server = createServer((_request, response) => {
      response.statusCode = text === undefined ? 500 : 200
      response.end(text)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const odd = await putAgent(on.table, on.ada.id, { address: { host: '127.0.0.1', port } })
    const { status, body } = await on.internal(`/api/runtime/instances/${odd.id}/stats`)
    server.close()
    expect(status).toBe(200)
    expect(body).toEqual({
      ...nothing,
      agentId: odd.id,
      network: null,
      pids: null,
      status: 'active',
      timestamp: expect.any(String),
    })
  })

  it('are null if no container runs or responds', async () => {
    ownTimeouts()
    const silent = createServer((_request, response) =>
      passTime(() => !response.destroyed, 20),
    ).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const mute = await putAgent(on.table, on.ada.id, { address: { host: '127.0.0.1', port } })
    expect((await on.get(`/api/instance/${mute.id}/stats`)).body).toMatchObject({ cpu: null })
    silent.closeAllConnections()
    silent.close()
    await once(silent, 'close')
    expect((await on.get(`/api/instance/${mute.id}/stats`)).body).toMatchObject({ cpu: null })
  })
})

describe('an instance', () => {
  it('is shown to its owner', async () => {
    expect((await on.get(`/api/instance/${on.agent.id}`)).body).toEqual({
      userId: on.ada.id,
      agentId: on.agent.id,
      status: 'running',
      startedAt: null,
      subdomain: on.agent.subdomain,
      url: expect.stringContaining(on.agent.subdomain),
      plan: 'solo',
      runtimeVersion: '2.1',
    })
  })

  it.each([
    '/api/agents/:id/stats',
    '/api/agents/:id/messages',
    '/api/instance/:id',
    '/api/instance/:id/stats',
  ])('an instance of another user is treated as missing: %s', async (path) => {
    expect((await on.get(path.replace(':id', on.agent.id), on.eve.session)).status).toBe(404)
  })
})
