import { requireAgent } from '../../../shared/agents/find.ts'
import { updateImage as update } from '../../../shared/agents/image/update.ts'
import { imageView } from '../../../shared/agents/image/view.ts'
import { agentAnswers, agentParams, imageUpdate } from '../../../shared/agents/schema.ts'
import { backendStatus } from '../../../shared/agents/status.ts'
import { route } from './services.ts'

export const updateImage = route({
  method: 'POST',
  path: '/api/agents/:id/update',
  summary: 'Start an agent on another image; one that fails is taken back',
  tag: 'agents',
  guard: 'internal',
  params: agentParams,
  body: imageUpdate,
  bodyOptional: true,
  response: agentAnswers.updatedImage,
  errors: [
    'bad-request',
    'unauthorized',
    'forbidden',
    'not-found',
    'too-many-requests',
    'internal',
  ],
  idempotent: true,
  handle: async (ctx, { params, body }) => {
    const found = await requireAgent(ctx.table, params.id, ctx.actor.userId)
    const agent = await update(ctx, found, body.image)
    return { success: true as const, status: backendStatus(agent.status), ...imageView(agent, ctx) }
  },
})
