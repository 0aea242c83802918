import { askAgent } from '../../../shared/interaction/ask.ts'
import { agentAnswer, agentQuestion } from '../../../shared/interaction/schema.ts'
import { route } from './services.ts'

export const getAgent = route({
  method: 'GET',
  path: '/api/agent',
  summary:
    'One’s agent, its health, conversations, memory, skills, or the names of its credentials',
  tag: 'agent',
  guard: 'session',
  query: agentQuestion,
  response: agentAnswer,
  errors: ['bad-request', 'unauthorized', 'not-found', 'conflict', 'bad-gateway', 'timeout'],
  handle: (context, { query }) => askAgent(context, context.actor.user.id, query),
})
