import { createAgent as create } from '../../../shared/agents/create.ts'
import { agentAnswers, newAgent } from '../../../shared/agents/schema.ts'
import { backendView } from '../../../shared/agents/views.ts'
import { route } from './services.ts'

export const createAgent = route({
  method: 'POST',
  path: '/api/agents',
  summary: 'Make an agent that does not run yet',
  tag: 'agents',
  guard: 'internal',
  body: newAgent,
  status: 201,
  response: agentAnswers.created,
  errors: ['bad-request', 'unauthorized', 'payment-required', 'forbidden', 'too-many-requests'],
  idempotent: true,
  handle: async (ctx, { body }) => backendView(await create(ctx, body, ctx.actor, ctx.seed), ctx),
})
