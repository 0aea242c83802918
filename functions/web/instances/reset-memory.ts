import { requireAgent } from '../../../shared/agents/find.ts'
import { clearMemory } from '../../../shared/agents/lifecycle/reset-memory.ts'
import { agentAnswers, instanceParams } from '../../../shared/agents/schema.ts'
import { route } from './services.ts'

export const resetInstanceMemory = route({
  method: 'POST',
  path: '/api/instance/:agentId/reset-memory',
  summary: "Make one of the caller's agents forget its notes and its conversations",
  tag: 'instances',
  guard: 'session',
  params: instanceParams,
  response: agentAnswers.memoryReset,
  errors: ['unauthorized', 'not-found', 'too-many-requests', 'internal'],
  idempotent: true,
  handle: async (ctx, { params }) => {
    const agent = await requireAgent(ctx.table, params.agentId, ctx.actor.user.id)
    return { success: true as const, message: await clearMemory(ctx, agent) }
  },
})
