import { actOnAgent } from '../../../shared/interaction/act.ts'
import { actionAnswer, agentAction } from '../../../shared/interaction/schema.ts'
import { turnErrors } from '../../common/turn-errors.ts'
import { route } from './services.ts'

export const postAgent = route({
  method: 'POST',
  path: '/api/agent',
  summary: 'Talk to one’s agent, open a conversation, switch a skill, or keep a credential for it',
  tag: 'agent',
  guard: 'session',
  body: agentAction,
  response: actionAnswer,
  idempotent: true,
  errors: turnErrors,
  handle: (context, { body }) =>
    actOnAgent({ ...context, userId: context.actor.user.id, signal: context.request.signal }, body),
})
