import { requireAgent } from '../../../shared/agents/find.ts'
import { runtimeVersion } from '../../../shared/agents/names.ts'
import { instanceParams } from '../../../shared/agents/schema.ts'
import { containerFigures } from '../../../shared/agents/stats/container.ts'
import { containerHealth } from '../../../shared/agents/stats/health.ts'
import { instanceStats } from '../../../shared/agents/stats/schema.ts'
import { route } from './services.ts'

export const getInstanceStats = route({
  method: 'GET',
  path: '/api/instance/:agentId/stats',
  summary: "The figures of one of the caller's containers, each null where it is not known",
  tag: 'instances',
  guard: 'session',
  params: instanceParams,
  response: instanceStats,
  errors: ['unauthorized', 'not-found', 'too-many-requests', 'unavailable'],
  handle: async (ctx, { params }) => {
    const agent = await requireAgent(ctx.table, params.agentId, ctx.actor.user.id)
    const { userId, id: agentId, status, image } = agent
    const figures = await containerFigures(
      { encryptionKey: ctx.config.WALLET_ENCRYPTION_KEY },
      agent,
    )
    return {
      userId,
      agentId,
      status,
      health: containerHealth(agent),
      cpu: figures.cpuPercent,
      memory: figures.memoryBytes,
      uptimeMs: figures.uptimeMs,
      messages: figures.messages,
      errors: figures.errors,
      runtimeVersion: runtimeVersion(image),
    }
  },
})
