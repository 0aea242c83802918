import { requireAgent } from '../../../shared/agents/find.ts'
import { stopAgent as stop } from '../../../shared/agents/lifecycle/stop.ts'
import { instanceAnswers, instanceParams } from '../../../shared/agents/schema.ts'
import { route } from './services.ts'

export const stopInstance = route({
  method: 'POST',
  path: '/api/instance/:agentId/stop',
  summary: "Stop one of the caller's agents",
  tag: 'instances',
  guard: 'session',
  params: instanceParams,
  response: instanceAnswers.changed,
  errors: ['unauthorized', 'not-found', 'too-many-requests', 'internal'],
  idempotent: true,
  handle: async (ctx, { params }) => {
    const found = await requireAgent(ctx.table, params.agentId, ctx.actor.user.id)
    const { status } = await stop(ctx, found)
    return { success: true as const, status }
  },
})
