import { requireAgent } from '../../../shared/agents/find.ts'
import { updateImage } from '../../../shared/agents/image/update.ts'
import { imageView } from '../../../shared/agents/image/view.ts'
import { imageUpdate, instanceAnswers, instanceParams } from '../../../shared/agents/schema.ts'
import { route } from './services.ts'

export const updateInstance = route({
  method: 'POST',
  path: '/api/instance/:agentId/update',
  summary: "Start one of the caller's agents on another image; one that fails is taken back",
  tag: 'instances',
  guard: 'session',
  params: instanceParams,
  body: imageUpdate,
  bodyOptional: true,
  response: instanceAnswers.updated,
  errors: ['bad-request', 'unauthorized', 'not-found', 'too-many-requests', 'internal'],
  idempotent: true,
  handle: async (ctx, { params, body }) => {
    const found = await requireAgent(ctx.table, params.agentId, ctx.actor.user.id)
    const agent = await updateImage(ctx, found, body.image)
    return { success: true as const, status: agent.status, ...imageView(agent, ctx) }
  },
})
