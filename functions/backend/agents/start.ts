import { requireAgent } from '../../../shared/agents/find.ts'
import { startAgent as start } from '../../../shared/agents/lifecycle/start.ts'
import { agentAnswers, agentParams } from '../../../shared/agents/schema.ts'
import { backendView } from '../../../shared/agents/views.ts'
import { route } from './services.ts'

export const startAgent = route({
  method: 'POST',
  path: '/api/agents/:id/start',
  summary: 'Start an agent',
  tag: 'agents',
  guard: 'internal',
  params: agentParams,
  response: agentAnswers.started,
  errors: ['unauthorized', 'forbidden', 'not-found', 'too-many-requests', 'internal'],
  idempotent: true,
  handle: async (ctx, { params }) => {
    const agent = await requireAgent(ctx.table, params.id, ctx.actor.userId)
    const { status } = backendView(await start(ctx, agent), ctx)
    return { success: true as const, status }
  },
})
