import { describe, expect, it } from 'vitest'
import { readAgent } from '#shared/agents/record/find.ts'
import { eventually } from '../support/clock/eventually.ts'
import {
  asInternal,
  call,
  lifecycle,
  newSubscriber,
  provision,
  sharedTable,
  stack,
  type TestUser,
  untilStatus,
} from '../support/stack/platform.ts'

/** Calls the web surface as a user. */
function ask(user: TestUser, path: string, body?: unknown, method?: string) {
  const options = { headers: user.session, ...(body !== undefined && { body }) }
  return call(`${stack().web}${path}`, { ...options, ...(method !== undefined && { method }) })
}

/** Calls the agent's container directly. */
async function inside(user: TestUser, agentId: string, path: string) {
  const agent = await readAgent(sharedTable(), { userId: user.id, agentId })
  const url = `${stack().backend}/api/agents/${agentId}/token`
  const { body } = await call(url, { headers: asInternal(user.id) })
  const headers = { authorization: `Bearer ${String(body.token)}` }
  return (await call(`http://127.0.0.1:${agent?.address?.port}${path}`, { headers })).body
}

describe('content that a user adds to an agent', () => {
  it('content that a user adds to an agent during its start is there once it runs, and is deleted on request', async () => {
    const user = await newSubscriber('solo')
    const agentId = await provision(user)
    const inputs = await Promise.all([
      ask(user, '/api/memory', { agentId, key: 'name', memory: 'Her name is Ann.' }),
      ask(user, '/api/skills', { agentId, skillId: 'meeting-notes' }),
      ask(user, '/api/agent', { action: 'set-credential', agentId, key: 'TOKEN', value: 'x' }),
    ])
    expect(inputs.map(({ status }) => status)).toEqual([200, 200, 200])
    await untilStatus(user, agentId, 'running')
    await eventually(async () => {
      expect(await inside(user, agentId, '/memory')).toMatchObject({
        memory: { name: 'Her name is Ann.' },
      })
      expect(await inside(user, agentId, '/skills')).toMatchObject({
        skills: [{ id: 'meeting-notes', enabled: true }],
      })
    })

    const used = await ask(user, '/api/skills/meeting-notes', { agentId, input: 'Ann: Go.' })
    expect(used).toMatchObject({ status: 200, body: { agentId, message: 'Ann: Go.' } })
    expect(await ask(user, `/api/agent?action=health&agentId=${agentId}`)).toMatchObject({
      status: 200,
      body: { healthy: true, failing: [] },
    })
    const removed = await ask(user, '/api/skills', { agentId, skillId: 'meeting-notes' }, 'DELETE')
    expect(removed.body).toEqual({ success: true, installed: false, deployed: false })
    expect(await inside(user, agentId, '/skills')).toMatchObject({ count: 0 })

    expect(await lifecycle(user, agentId, 'reset-memory')).toMatchObject({ status: 200 })
    await eventually(async () => {
      expect(await inside(user, agentId, '/memory')).toMatchObject({ count: 0 })
      expect(await inside(user, agentId, '/sessions')).toMatchObject({ count: 0 })
    })
    expect((await ask(user, `/api/memory?agentId=${agentId}`)).body).toMatchObject({ count: 0 })
    const credentials = await ask(user, `/api/agent?action=credentials&agentId=${agentId}`)
    expect(credentials.body).toMatchObject({ credentials: [{ key: 'TOKEN' }], count: 1 })
  })
})
