import { requireAgent } from '../../../shared/agents/find.ts'
import { agentParams } from '../../../shared/agents/schema.ts'
import {
  verificationMade,
  verificationRequest,
} from '../../../shared/agents/verification/schema.ts'
import { showVerification } from '../../../shared/agents/verification/verification.ts'
import { verifyAgent as verify } from '../../../shared/agents/verification/verify.ts'
import { route } from './services.ts'

export const verifyAgent = route({
  method: 'POST',
  path: '/api/agents/:id/verify',
  summary: 'Prove who stands behind one of the caller’s agents',
  tag: 'agents',
  guard: 'session',
  params: agentParams,
  body: verificationRequest,
  response: verificationMade,
  errors: [
    'bad-request',
    'unauthorized',
    'not-found',
    'too-many-requests',
    'not-implemented',
    'unavailable',
  ],
  handle: async (ctx, { params, body }) => {
    const agent = await requireAgent(ctx.table, params.id, ctx.actor.user.id)
    return { success: true as const, ...showVerification(await verify(ctx, agent, body)) }
  },
})
