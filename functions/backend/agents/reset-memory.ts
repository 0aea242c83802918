import { requireAgent } from '../../../shared/agents/find.ts'
import { clearMemory } from '../../../shared/agents/lifecycle/reset-memory.ts'
import { agentAnswers, agentParams } from '../../../shared/agents/schema.ts'
import { route } from './services.ts'

export const resetMemory = route({
  method: 'POST',
  path: '/api/agents/:id/reset-memory',
  summary: 'Make an agent forget its notes and its conversations',
  tag: 'agents',
  guard: 'internal',
  params: agentParams,
  response: agentAnswers.memoryReset,
  errors: ['unauthorized', 'forbidden', 'not-found', 'too-many-requests', 'internal'],
  idempotent: true,
  handle: async (ctx, { params }) => {
    const agent = await requireAgent(ctx.table, params.id, ctx.actor.userId)
    return { success: true as const, message: await clearMemory(ctx, agent) }
  },
})
