import { requireAgent } from '../../../shared/agents/find.ts'
import { agentAnswers, agentParams, agentUpdate } from '../../../shared/agents/schema.ts'
import { updateAgent as update } from '../../../shared/agents/update.ts'
import { backendView } from '../../../shared/agents/views.ts'
import { route } from './services.ts'

export const updateAgent = route({
  method: 'PUT',
  path: '/api/agents/:id',
  summary: 'Change what an agent is made from',
  tag: 'agents',
  guard: 'internal',
  params: agentParams,
  body: agentUpdate,
  response: agentAnswers.updated,
  errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found', 'too-many-requests'],
  handle: async (ctx, { params, body }) => {
    const found = await requireAgent(ctx.table, params.id, ctx.actor.userId)
    const agent = await update(ctx, found, body)
    const message =
      agent.desired === 'running'
        ? 'Updated; the container takes it over at its next start'
        : 'Updated'
    return { ...backendView(agent, ctx), message }
  },
})
