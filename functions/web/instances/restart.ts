import { requireAgent } from '../../../shared/agents/find.ts'
import { restartAgent as restart } from '../../../shared/agents/lifecycle/restart.ts'
import { runtimeVersion } from '../../../shared/agents/names.ts'
import { instanceAnswers, instanceParams } from '../../../shared/agents/schema.ts'
import { route } from './services.ts'

export const restartInstance = route({
  method: 'POST',
  path: '/api/instance/:agentId/restart',
  summary: "Stop one of the caller's agents and start it again",
  tag: 'instances',
  guard: 'session',
  params: instanceParams,
  response: instanceAnswers.restarted,
  errors: ['unauthorized', 'not-found', 'too-many-requests', 'internal'],
  idempotent: true,
  handle: async (ctx, { params }) => {
    const found = await requireAgent(ctx.table, params.agentId, ctx.actor.user.id)
    const { status, image } = await restart(ctx, found, 'restart')
    return { success: true as const, status, runtimeVersion: runtimeVersion(image) }
  },
})
