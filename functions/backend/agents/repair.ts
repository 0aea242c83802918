import { requireAgent } from '../../../shared/agents/find.ts'
import { restartAgent as restart } from '../../../shared/agents/lifecycle/restart.ts'
import { agentAnswers, agentParams, replaced } from '../../../shared/agents/schema.ts'
import { backendView } from '../../../shared/agents/views.ts'
import { route } from './services.ts'

export const repairAgent = route({
  method: 'POST',
  path: '/api/agents/:id/repair',
  summary: 'Start an agent anew, whatever state it is in',
  tag: 'agents',
  guard: 'internal',
  params: agentParams,
  response: agentAnswers.repaired,
  errors: ['unauthorized', 'forbidden', 'not-found', 'too-many-requests', 'internal'],
  idempotent: true,
  handle: async (ctx, { params }) => {
    const agent = await requireAgent(ctx.table, params.id, ctx.actor.userId)
    const { status } = backendView(await restart(ctx, agent, 'repair'), ctx)
    return { success: true as const, status, message: replaced }
  },
})
