import { describe, expect, it } from 'vitest'
import { putAgent } from '../../../tests/support/chat.ts'
import { useInstances } from '../../../tests/support/instances.ts'

const on = useInstances()

describe('the runtime', () => {
  it('says what agents are started from, to anyone', async () => {
    expect((await on.anonymous('/api/runtime/version')).body).toEqual({
      runtimeVersion: '2.2',
      image: 'registry.example/agent:2.2',
      deployedAt: null,
    })
  })

  it('lists what has a container, to each owner only their own', async () => {
    const hers = await putAgent(on.table, on.eve.id, {
      taskArn: 'task/1',
      taskStatus: 'RUNNING',
    })
    await putAgent(on.table, on.eve.id, { taskArn: 'task/2', taskStatus: 'STOPPED' })
    const { body } = await on.internal('/api/runtime/instances', on.eve.id)
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
          metadata: { userId: on.eve.id, plan: 'solo', generation: 1, startedAt: null },
        },
      ],
    })
    const all = (await on.internal('/api/runtime/instances')).body.instances
    expect(all).toContainEqual(expect.objectContaining({ agentId: hers.id }))
  })

  it('shows nobody else’s figures to who acts for a user', async () => {
    const path = `/api/runtime/instances/${on.agent.id}/stats`
    expect((await on.internal(path, on.eve.id)).status).toBe(404)
    expect((await on.internal(path, on.ada.id)).body).toMatchObject({
      cpu: expect.any(Number),
      pids: 1,
    })
  })
})
