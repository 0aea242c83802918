import { requireAgent } from '../../../shared/agents/find.ts'
import { agentParams } from '../../../shared/agents/schema.ts'
import { containerFigures } from '../../../shared/agents/stats/container.ts'
import { memoryPercent } from '../../../shared/agents/stats/memory-percent.ts'
import { runtimeStats } from '../../../shared/agents/stats/schema.ts'
import { backendStatus } from '../../../shared/agents/status.ts'
import { route } from './services.ts'

export const getStats = route({
  method: 'GET',
  path: '/api/runtime/instances/:id/stats',
  summary: 'The figures of an agent’s container, each null where it is not known',
  tag: 'runtime',
  guard: 'internal',
  params: agentParams,
  response: runtimeStats,
  errors: ['unauthorized', 'forbidden', 'not-found', 'unavailable'],
  handle: async (ctx, { params }) => {
    const agent = await requireAgent(ctx.table, params.id, ctx.actor.userId)
    const figures = await containerFigures(ctx, agent)
    return {
      agentId: agent.id,
      cpu: figures.cpuPercent,
      memory: figures.memoryBytes,
      memoryPercent: memoryPercent(agent, figures.memoryBytes),
      network: figures.network,
      pids: figures.pids,
      status: backendStatus(agent.status),
      uptimeMs: figures.uptimeMs,
      timestamp: new Date().toISOString(),
    }
  },
})
