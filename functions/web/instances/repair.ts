import { requireAgent } from '../../../shared/agents/find.ts'
import { restartAgent as restart } from '../../../shared/agents/lifecycle/restart.ts'
import { instanceAnswers, instanceParams, replaced } from '../../../shared/agents/schema.ts'
import { route } from './services.ts'

export const repairInstance = route({
  method: 'POST',
  path: '/api/instance/:agentId/repair',
  summary: "Start one of the caller's agents anew, whatever state it is in",
  tag: 'instances',
  guard: 'session',
  params: instanceParams,
  response: instanceAnswers.repaired,
  errors: ['unauthorized', 'not-found', 'too-many-requests', 'internal'],
  idempotent: true,
  handle: async (ctx, { params }) => {
    const found = await requireAgent(ctx.table, params.agentId, ctx.actor.user.id)
    const { status } = await restart(ctx, found, 'repair')
    return { success: true as const, status, message: replaced }
  },
})
