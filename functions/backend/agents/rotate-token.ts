import { agentAnswers, agentParams } from '../../../shared/agents/schema.ts'
import { rotateToken as rotate } from '../../../shared/agents/token/rotate.ts'
import { route } from './services.ts'

export const rotateToken = route({
  method: 'POST',
  path: '/api/agents/:id/token',
  summary: "Give an agent's gateway another token; a container that runs is replaced",
  tag: 'agents',
  guard: 'internal',
  params: agentParams,
  response: agentAnswers.token,
  errors: [
    'unauthorized',
    'forbidden',
    'not-found',
    'too-many-requests',
    'internal',
    'unavailable',
  ],
  handle: async (ctx, { params }) => ({
    token: await rotate(ctx, ctx.actor.userId, params.id),
  }),
})
