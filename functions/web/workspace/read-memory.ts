import * as z from 'zod'
import { requireAgent } from '../../../shared/agents/find.ts'
import { readMemory } from '../../../shared/agents/memory/read.ts'
import { agentIdText, memoryAnswer } from '../../../shared/agents/memory/schema.ts'
import { route } from './services.ts'

export const getMemory = route({
  method: 'GET',
  path: '/api/memory',
  summary: 'Everything that an agent remembers, what it has written itself included',
  tag: 'memory',
  guard: 'session',
  query: z.object({ agentId: agentIdText }),
  response: memoryAnswer,
  errors: ['bad-request', 'unauthorized', 'not-found'],
  handle: async (context, { query }) => {
    const agent = await requireAgent(context.table, query.agentId, context.actor.user.id)
    return readMemory(context, agent)
  },
})
