import { requireAgent } from '../../../shared/agents/find.ts'
import { agentAnswers, agentParams } from '../../../shared/agents/schema.ts'
import { backendView } from '../../../shared/agents/views.ts'
import { route } from './services.ts'

export const getAgent = route({
  method: 'GET',
  path: '/api/agents/:id',
  summary: 'One agent',
  tag: 'agents',
  guard: 'internal',
  params: agentParams,
  response: agentAnswers.detail,
  errors: ['unauthorized', 'forbidden', 'not-found', 'too-many-requests'],
  handle: async (ctx, { params }) =>
    backendView(await requireAgent(ctx.table, params.id, ctx.actor.userId), ctx),
})
