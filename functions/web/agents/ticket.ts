import { requireAgent } from '../../../shared/agents/find.ts'
import { ticketAnswer } from '../../../shared/agents/gate/schema.ts'
import { issueTicket as issue } from '../../../shared/agents/gate/ticket.ts'
import { agentParams } from '../../../shared/agents/schema.ts'
import { route } from './services.ts'

export const issueTicket = route({
  method: 'POST',
  path: '/api/agents/:id/ticket',
  summary: 'A link that lets a browser in to one of the caller’s agents',
  tag: 'agents',
  guard: 'session',
  params: agentParams,
  response: ticketAnswer,
  errors: ['unauthorized', 'not-found', 'too-many-requests'],
  handle: async (ctx, { params }) => {
    const { user } = ctx.actor
    return issue(ctx, await requireAgent(ctx.table, params.id, user.id), user)
  },
})
