import { requireAgent } from '../../../shared/agents/find.ts'
import { stopAgent as stop } from '../../../shared/agents/lifecycle/stop.ts'
import { agentAnswers, agentParams } from '../../../shared/agents/schema.ts'
import { backendView } from '../../../shared/agents/views.ts'
import { route } from './services.ts'

export const stopAgent = route({
  method: 'POST',
  path: '/api/agents/:id/stop',
  summary: 'Stop an agent',
  tag: 'agents',
  guard: 'internal',
  params: agentParams,
  response: agentAnswers.started,
  errors: ['unauthorized', 'forbidden', 'not-found', 'too-many-requests', 'internal'],
  idempotent: true,
  handle: async (ctx, { params }) => {
    const agent = await requireAgent(ctx.table, params.id, ctx.actor.userId)
    const { status } = backendView(await stop(ctx, agent), ctx)
    return { success: true as const, status }
  },
})
