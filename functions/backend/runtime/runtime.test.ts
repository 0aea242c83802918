import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Agent } from '../../../shared/agents/agent.ts'
import { putAgent } from '../../../tests/support/chat.ts'
import { type Instances, startInstances } from '../../../tests/support/instances.ts'

let on: Instances
let ada: Instances['ada']
let eve: Instances['eve']
let agent: Agent

beforeAll(async () => {
  on = await startInstances()
  ;({ ada, eve, agent } = on)
})
afterAll(() => on.close())

describe('the runtime', () => {
  it('says what agents are started from, to anyone', async () => {
    expect((await on.anonymous('/api/runtime/version')).body).toEqual({
      runtimeVersion: '2.2',
      image: 'registry.example/agent:2.2',
      deployedAt: null,
    })
  })

  it('lists what has a container, to each owner only their own', async () => {
    const hers = await putAgent(on.table, eve.id, {
      taskArn: 'task/1',
      taskStatus: 'RUNNING',
    })
    await putAgent(on.table, eve.id, { taskArn: 'task/2', taskStatus: 'STOPPED' })
    const { body } = await on.internal('/api/runtime/instances', eve.id)
    expect(body).toEqual({
      count: 1,
      instances: [
        {
          agentId: hers.id,
          name: hers.name,
          image: 'agent:1',
          status: 'active',
          createdAt: hers.createdAt,
          version: '1',
          metadata: { userId: eve.id, plan: 'solo', generation: 1, startedAt: null },
        },
      ],
    })
    const all = (await on.internal('/api/runtime/instances')).body.instances
    expect(all).toContainEqual(expect.objectContaining({ agentId: hers.id }))
  })

  it('shows nobody else’s figures to who acts for a user', async () => {
    const path = `/api/runtime/instances/${agent.id}/stats`
    expect((await on.internal(path, eve.id)).status).toBe(404)
    expect((await on.internal(path, ada.id)).body).toMatchObject({
      cpu: expect.any(Number),
      pids: 1,
    })
  })
})
