import { listAgents, listAllAgents } from '../../../shared/agents/list.ts'
import { liveTasks } from '../../../shared/agents/agent.ts'
import { runtimeVersion } from '../../../shared/agents/names.ts'
import { runtimeInstances } from '../../../shared/agents/stats/schema.ts'
import { backendStatus } from '../../../shared/agents/status.ts'
import { route } from './services.ts'

export const listInstances = route({
  method: 'GET',
  path: '/api/runtime/instances',
  summary: 'The agents that have a container: everybody’s, or those of x-user-id',
  tag: 'runtime',
  guard: 'internal',
  response: runtimeInstances,
  errors: ['unauthorized', 'forbidden'],
  handle: async ({ table, actor }) => {
    const { userId: owner } = actor
    const agents = owner === undefined ? await listAllAgents(table) : await listAgents(table, owner)
    const instances = agents
      .filter((agent) => liveTasks(agent).length > 0)
      .map(({ id, name, image, status, createdAt, userId, plan, generation, startedAt }) => ({
        agentId: id,
        name,
        image,
        createdAt,
        status: backendStatus(status),
        version: runtimeVersion(image),
        metadata: { userId, plan, generation, startedAt: startedAt ?? null },
      }))
    return { instances, count: instances.length }
  },
})
