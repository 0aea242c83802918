import { provisionUsersChannels } from '../../../shared/agents/channels/provision.ts'
import { channelAnswer, usersChannelProvisioning } from '../../../shared/agents/channels/schema.ts'
import { channelView } from '../../../shared/agents/channels/view.ts'
import { route } from './services.ts'

export const provisionInstance = route({
  method: 'POST',
  path: '/api/provision',
  summary: 'Make an agent that answers on chat services, and start it',
  tag: 'instances',
  guard: 'session',
  body: usersChannelProvisioning,
  status: 201,
  response: channelAnswer,
  errors: ['bad-request', 'unauthorized', 'payment-required', 'too-many-requests', 'unavailable'],
  idempotent: true,
  handle: async (ctx, { body }) =>
    channelView(await provisionUsersChannels(ctx, ctx.actor.user, body, ctx.seed), ctx),
})
