import { describe, expect, it } from 'vitest'
import { runtimeInstances } from '#shared/operations/stats/schema.ts'
import { newId } from '#shared/platform/ids.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { useLifecycle } from '#tests/support/conversations/agent-lifecycle.ts'

const on = useLifecycle()

describe('the runtime', () => {
  it('returns the image of agents, to anyone', async () => {
    expect((await on.anonymous('/api/runtime/version')).body).toEqual({
      runtimeVersion: '2.2',
      image: 'registry.example/agent:2.2',
      deployedAt: null,
    })
  })

  it('lists agents with a container, to each owner only their own', async () => {
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

  it('returns the image of the running container, not of the next one', async () => {
    const user = newId('usr')
    const next = { image: 'agent:9', taskArn: 'task/1', status: 'provisioning' } as const
    const rows = [
      { ...next, taskStatus: 'PENDING' },
      { ...next, taskStatus: 'PENDING', ranImage: 'agent:8' },
      { ...next, taskStatus: 'RUNNING', ranImage: 'agent:9', healthyImage: 'agent:8' },
      // Rows of releases that did not record the running image.
      { ...next, taskStatus: 'PENDING', healthyImage: 'agent:7' },
    ]
    const ids: string[] = []
    for (const row of rows) ids.push((await putAgent(on.table, user, row)).id)
    const { body } = await on.internal('/api/runtime/instances', user)
    const { instances } = runtimeInstances.parse(body)
    const shown = ids.map((id) => instances.find(({ agentId }) => agentId === id))
    expect(shown.map((one) => [one?.image, one?.version])).toEqual([
      [null, null],
      ['agent:8', '8'],
      ['agent:9', '9'],
      ['agent:7', '7'],
    ])
  })

  it('returns a caller for one user no figures of others', async () => {
    const path = `/api/runtime/instances/${on.agent.id}/stats`
    expect((await on.internal(path, on.eve.id)).status).toBe(404)
    expect((await on.internal(path, on.ada.id)).body).toMatchObject({
      cpu: expect.any(Number),
      pids: 1,
    })
  })
})
