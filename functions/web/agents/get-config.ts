import { configAnswers } from '../../../shared/agents/config/schema.ts'
import { showConfig } from '../../../shared/agents/config/show.ts'
import { requireAgent } from '../../../shared/agents/find.ts'
import { agentParams } from '../../../shared/agents/schema.ts'
import { route } from './services.ts'

export const getConfig = route({
  method: 'GET',
  path: '/api/agents/:id/config',
  summary: "The config of one of the caller's agents, its secrets masked",
  tag: 'agents',
  guard: 'session',
  params: agentParams,
  response: configAnswers.shown,
  errors: ['unauthorized', 'not-found', 'too-many-requests', 'unavailable'],
  handle: async (ctx, { params }) => {
    const agent = await requireAgent(ctx.table, params.id, ctx.actor.user.id)
    return { config: await showConfig(ctx, agent), status: 'ok' as const }
  },
})
