import { agentAnswers, agentParams } from '../../../shared/agents/schema.ts'
import { readToken } from '../../../shared/agents/token/get.ts'
import { route } from './services.ts'

export const getToken = route({
  method: 'GET',
  path: '/api/agents/:id/token',
  summary: "The token of an agent's gateway, for its owner",
  tag: 'agents',
  guard: 'internal',
  params: agentParams,
  response: agentAnswers.token,
  errors: ['unauthorized', 'forbidden', 'not-found', 'too-many-requests', 'unavailable'],
  handle: async (ctx, { params }) => ({
    token: await readToken(ctx, ctx.actor.userId, params.id),
  }),
})
