import { requireAgent } from '../../../shared/agents/find.ts'
import { agentParams } from '../../../shared/agents/schema.ts'
import { messagePage } from '../../../shared/chat/page.ts'
import { chatMessagePage, pageQuery } from '../../../shared/chat/schema.ts'
import { route } from './services.ts'

export const listMessages = route({
  method: 'GET',
  path: '/api/agents/:id/messages',
  summary:
    'The messages of one of the caller’s agents, the newest first; a page of long ones ends early',
  tag: 'agents',
  guard: 'session',
  params: agentParams,
  query: pageQuery,
  response: chatMessagePage,
  errors: ['bad-request', 'unauthorized', 'not-found', 'too-many-requests'],
  handle: async ({ table, actor }, { params, query }) => {
    const agent = await requireAgent(table, params.id, actor.user.id)
    const page = await messagePage(table, actor.user.id, agent, query)
    return { ...page, ...query, status: 'ok' as const }
  },
})
