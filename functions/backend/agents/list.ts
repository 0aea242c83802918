import * as z from 'zod'
import { listAgents as list, listAllAgents } from '../../../shared/agents/list.ts'
import { agentAnswers } from '../../../shared/agents/schema.ts'
import { backendView } from '../../../shared/agents/views.ts'
import { route } from './services.ts'

export const listAgents = route({
  method: 'GET',
  path: '/api/agents',
  summary: 'Every agent, or those of the user that x-user-id names; newest first',
  tag: 'agents',
  guard: 'internal',
  response: z.array(agentAnswers.listItem),
  errors: ['unauthorized', 'forbidden', 'too-many-requests'],
  handle: async (ctx) => {
    const { userId } = ctx.actor
    const agents = await (userId === undefined ? listAllAgents(ctx.table) : list(ctx.table, userId))
    return agents.map((agent) => backendView(agent, ctx))
  },
})
