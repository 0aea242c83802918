import { provisionChannels } from '../../../shared/agents/channels/provision.ts'
import { channelAnswer, channelProvisioning } from '../../../shared/agents/channels/schema.ts'
import { channelView } from '../../../shared/agents/channels/view.ts'
import { route } from './services.ts'

export const provisionAgent = route({
  method: 'POST',
  path: '/api/provision',
  summary: 'Make an agent that answers on chat services, and start it',
  tag: 'agents',
  guard: 'internal',
  body: channelProvisioning,
  status: 201,
  response: channelAnswer,
  errors: [
    'bad-request',
    'unauthorized',
    'payment-required',
    'forbidden',
    'not-found',
    'too-many-requests',
    'unavailable',
  ],
  idempotent: true,
  handle: async (ctx, { body }) =>
    channelView(await provisionChannels(ctx, ctx.actor, body, ctx.seed), ctx),
})
