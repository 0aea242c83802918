import { cloneAgent as clone } from '../../../shared/agents/clone/clone.ts'
import { cloneMade, cloneRequest } from '../../../shared/agents/clone/schema.ts'
import { route } from './services.ts'

export const cloneAgent = route({
  method: 'POST',
  path: '/api/agents/clone',
  summary: 'Make an agent after another, paid for on the chain',
  tag: 'agents',
  guard: 'optional-session',
  body: cloneRequest,
  status: 201,
  response: cloneMade,
  idempotent: true,
  errors: [
    'bad-request',
    'payment-required',
    'not-found',
    'conflict',
    'too-many-requests',
    'unavailable',
  ],
  handle: async (ctx, { body }) => {
    const userId = ctx.actor.type === 'user' ? ctx.actor.user.id : undefined
    const { id, name } = await clone(ctx, userId, body, ctx.seed)
    return {
      success: true as const,
      agentId: id,
      parentAgentId: body.parentAgentId,
      name,
      generation: body.generation + 1,
      specialization: body.specialization,
      walletAddress: null,
      transactionHash: body.paymentProof.transactionHash,
    }
  },
})
