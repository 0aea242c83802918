import { provisionAgent as provision } from '../../../shared/agents/provision.ts'
import { provisioning, webAgentAnswers } from '../../../shared/agents/schema.ts'
import { webView } from '../../../shared/agents/views.ts'
import { route } from './services.ts'

export const provisionAgent = route({
  method: 'POST',
  path: '/api/agents/provision',
  summary: 'Make an agent and start it',
  tag: 'agents',
  guard: 'session',
  body: provisioning,
  status: 201,
  response: webAgentAnswers.provisioned,
  errors: ['bad-request', 'unauthorized', 'payment-required', 'too-many-requests', 'unavailable'],
  idempotent: true,
  handle: async (ctx, { body }) => {
    const agent = await provision(ctx, ctx.actor.user, body, ctx.seed)
    return { success: true as const, agent: webView(agent, ctx) }
  },
})
