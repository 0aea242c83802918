import { toolQuery, usageAnswers } from '../../../shared/usage/queries/schema.ts'
import { askedFor } from '../../../shared/usage/queries/scope.ts'
import { toolUsage } from '../../../shared/usage/queries/tools.ts'
import { found, route } from './services.ts'

export const getTools = route({
  method: 'GET',
  path: '/api/usage/tools',
  summary: 'Tool calls by the tool’s name, of a user or the whole platform, or of one agent',
  tag: 'usage',
  guard: 'internal',
  query: toolQuery,
  response: usageAnswers.tools,
  errors: ['bad-request', 'unauthorized', 'forbidden', 'too-many-requests'],
  handle: async ({ table, actor }, { query }) =>
    found(await toolUsage(table, askedFor(actor, query), query.agentId)),
})
