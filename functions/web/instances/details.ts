import { requireAgent } from '../../../shared/agents/find.ts'
import { instanceParams } from '../../../shared/agents/schema.ts'
import { instanceDetails } from '../../../shared/agents/stats/schema.ts'
import { webView } from '../../../shared/agents/views.ts'
import { route } from './services.ts'

export const getInstance = route({
  method: 'GET',
  path: '/api/instance/:agentId',
  summary: "One of the caller's agents as a container",
  tag: 'instances',
  guard: 'session',
  params: instanceParams,
  response: instanceDetails,
  errors: ['unauthorized', 'not-found', 'too-many-requests'],
  handle: async (ctx, { params }) => {
    const agent = await requireAgent(ctx.table, params.agentId, ctx.actor.user.id)
    return { ...webView(agent, ctx), agentId: agent.id, userId: agent.userId }
  },
})
