import { requireAgent } from '../../../shared/agents/find.ts'
import { agentParams, webAgentAnswers } from '../../../shared/agents/schema.ts'
import { webView } from '../../../shared/agents/views.ts'
import { route } from './services.ts'

export const getAgent = route({
  method: 'GET',
  path: '/api/agents/:id',
  summary: "One of the caller's agents",
  tag: 'agents',
  guard: 'session',
  params: agentParams,
  response: webAgentAnswers.detail,
  errors: ['unauthorized', 'not-found', 'too-many-requests'],
  handle: async (ctx, { params }) => {
    const agent = await requireAgent(ctx.table, params.id, ctx.actor.user.id)
    return { agent: webView(agent, ctx), status: 'ok' as const }
  },
})
