import { listAgents as list } from '../../../shared/agents/list.ts'
import { webAgentAnswers } from '../../../shared/agents/schema.ts'
import { webView } from '../../../shared/agents/views.ts'
import { route } from './services.ts'

export const listAgents = route({
  method: 'GET',
  path: '/api/agents',
  summary: "The caller's agents, newest first; none without a session",
  tag: 'agents',
  guard: 'optional-session',
  response: webAgentAnswers.list,
  errors: ['too-many-requests'],
  handle: async (ctx) => {
    const found = ctx.actor.type === 'user' ? await list(ctx.table, ctx.actor.user.id) : []
    const agents = found.map((agent) => webView(agent, ctx))
    return { agents, count: agents.length, status: 'ok' as const }
  },
})
