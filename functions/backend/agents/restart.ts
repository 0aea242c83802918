import { requireAgent } from '../../../shared/agents/find.ts'
import { restartAgent as restart } from '../../../shared/agents/lifecycle/restart.ts'
import { agentAnswers, agentParams } from '../../../shared/agents/schema.ts'
import { backendView } from '../../../shared/agents/views.ts'
import { route } from './services.ts'

export const restartAgent = route({
  method: 'POST',
  path: '/api/agents/:id/restart',
  summary: 'Stop an agent and start it again',
  tag: 'agents',
  guard: 'internal',
  params: agentParams,
  response: agentAnswers.restarted,
  errors: ['unauthorized', 'forbidden', 'not-found', 'too-many-requests', 'internal'],
  idempotent: true,
  handle: async (ctx, { params }) => {
    const agent = await requireAgent(ctx.table, params.id, ctx.actor.userId)
    return { success: true as const, ...backendView(await restart(ctx, agent, 'restart'), ctx) }
  },
})
