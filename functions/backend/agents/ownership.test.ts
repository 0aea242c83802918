import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { userStore } from '#shared/platform/table/user-store.ts'
import { type Backend, startBackend } from '#tests/support/agents/backend-agents.ts'

let backend: Backend

beforeAll(async () => {
  backend = await startBackend()
})
afterAll(() => backend.fleet.close())
beforeEach(() => backend.fleet.forget())

describe('another user’s agent', () => {
  it.each([
    ['GET', '', undefined],
    ['PUT', '', { plan: 'network' }],
    ['POST', '/start', undefined],
    ['POST', '/stop', undefined],
    ['POST', '/restart', undefined],
    ['POST', '/repair', undefined],
  ])('returns 404 for %s %s, and is not changed', async (method, path, body) => {
    const agent = await backend.made(await backend.subscriber('solo'))
    const user = await backend.subscriber('solo')
    const answer = await backend.call(method, `/api/agents/${agent.id}${path}`, { user, body })
    expect(answer).toEqual({ status: 404, body: { error: 'Agent not found' } })
    expect(await backend.fleet.row(agent)).toEqual(agent)
    expect(backend.fleet.sent).toEqual([])
  })

  it('is reported as deleted on DELETE, and keeps running', async () => {
    const owner = await backend.subscriber('solo')
    const agent = await backend.made(owner)
    await backend.call('POST', `/api/agents/${agent.id}/start`, { user: owner })
    const before = await backend.fleet.untilRunning(agent)
    for (const user of [await backend.subscriber('solo'), backend.newUser()]) {
      const { status, body } = await backend.call('DELETE', `/api/agents/${agent.id}`, { user })
      expect([status, body]).toEqual([200, { id: agent.id, deleted: true }])
    }
    expect(await backend.fleet.row(agent)).toEqual(before)
    expect(await backend.fleet.wantedTasks(agent)).toHaveLength(1)
    const deploy = { user: backend.newUser(), body: { agentId: agent.id } }
    expect((await backend.call('POST', '/api/deployments', deploy)).status).toBe(404)
  })
})

describe('a call that names a blank user', () => {
  it.each<[string, string, object?]>([
    ['GET', ''],
    ['PUT', '', { plan: 'network' }],
    ['POST', '/start'],
    ['DELETE', ''],
  ])(
    'is rejected for %s %s: only a call without a user is an operator’s',
    async (method, path, body) => {
      const agent = await backend.made(await backend.subscriber('solo'))
      const call = (userId: string) => {
        const headers = { 'x-user-id': userId }
        return backend.call(method, `/api/agents/${agent.id}${path}`, {
          headers,
          ...(body && { body }),
        })
      }
      for (const blank of ['', ' '])
        expect(await call(blank)).toEqual({ status: 400, body: { error: 'x-user-id is blank' } })
      expect(await backend.fleet.row(agent)).toEqual(agent)
    },
  )
})

describe('DELETE /api/agents/:id', () => {
  it('deleting a missing agent is not an error', async () => {
    for (const id of ['x', `agt_${'0'.repeat(26)}`])
      expect((await backend.call('DELETE', `/api/agents/${id}`)).body).toEqual({
        id,
        deleted: true,
      })
  })

  it('counts once, however many requests run concurrently', async () => {
    const user = await backend.subscriber('solo')
    const [agent] = [await backend.made(user), await backend.made(user)]
    const path = `/api/agents/${agent?.id}`
    const all = await Promise.all(
      Array.from({ length: 6 }, () => backend.call('DELETE', path, { user })),
    )
    expect(all.map(({ status }) => status)).toEqual(Array(6).fill(200))
    expect((await userStore(backend.fleet.table, user).get('profile'))?.agentCount).toBe(1)
    expect((await backend.call('GET', path, { user })).status).toBe(404)
    expect((await backend.call('POST', `${path}/start`, { user })).status).toBe(404)
  })
})
