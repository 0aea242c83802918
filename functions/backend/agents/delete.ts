import { deleteAgent as remove } from '../../../shared/agents/delete.ts'
import { agentAnswers, agentParams } from '../../../shared/agents/schema.ts'
import { route } from './services.ts'

export const deleteAgent = route({
  method: 'DELETE',
  path: '/api/agents/:id',
  summary: 'Delete an agent; one that is not there counts as deleted',
  tag: 'agents',
  guard: 'internal',
  params: agentParams,
  response: agentAnswers.deleted,
  errors: ['unauthorized', 'forbidden', 'too-many-requests'],
  handle: async (ctx, { params }) => {
    await remove(ctx, params.id, ctx.actor.userId)
    return { id: params.id, deleted: true as const }
  },
})
