import { requireAgent } from '../../../shared/agents/find.ts'
import { agentParams } from '../../../shared/agents/schema.ts'
import { statsOf } from '../../../shared/agents/stats/agent-stats.ts'
import { agentStats } from '../../../shared/agents/stats/schema.ts'
import { route } from './services.ts'

export const getAgentStats = route({
  method: 'GET',
  path: '/api/agents/:id/stats',
  summary: 'How one of the caller’s agents is, and how it did',
  tag: 'agents',
  guard: 'session',
  params: agentParams,
  response: agentStats,
  errors: ['unauthorized', 'not-found', 'too-many-requests', 'unavailable'],
  handle: async (ctx, { params }) => {
    const agent = await requireAgent(ctx.table, params.id, ctx.actor.user.id)
    const reach = { table: ctx.table, encryptionKey: ctx.config.WALLET_ENCRYPTION_KEY }
    return { stats: await statsOf(reach, agent), status: 'ok' as const }
  },
})
