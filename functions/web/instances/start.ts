import { requireAgent } from '../../../shared/agents/find.ts'
import { startAgent as start } from '../../../shared/agents/lifecycle/start.ts'
import { instanceAnswers, instanceParams } from '../../../shared/agents/schema.ts'
import { route } from './services.ts'

export const startInstance = route({
  method: 'POST',
  path: '/api/instance/:agentId/start',
  summary: "Start one of the caller's agents",
  tag: 'instances',
  guard: 'session',
  params: instanceParams,
  response: instanceAnswers.changed,
  errors: ['unauthorized', 'not-found', 'too-many-requests', 'internal'],
  idempotent: true,
  handle: async (ctx, { params }) => {
    const found = await requireAgent(ctx.table, params.agentId, ctx.actor.user.id)
    const { status } = await start(ctx, found)
    return { success: true as const, status }
  },
})
