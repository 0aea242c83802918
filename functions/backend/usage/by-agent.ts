import { usageByAgent } from '../../../shared/usage/queries/by-model.ts'
import { agentParams, usageAnswers, usageQuery } from '../../../shared/usage/queries/schema.ts'
import { askedFor } from '../../../shared/usage/queries/scope.ts'
import { found, route } from './services.ts'

export const getByAgent = route({
  method: 'GET',
  path: '/api/usage/by-agent/:agentId',
  summary: 'Usage of one agent by model; it is kept after the agent is deleted',
  tag: 'usage',
  guard: 'internal',
  params: agentParams,
  query: usageQuery(30),
  response: usageAnswers.byAgent,
  errors: ['bad-request', 'unauthorized', 'forbidden', 'too-many-requests'],
  handle: async ({ table, actor }, { params, query }) =>
    found(await usageByAgent(table, askedFor(actor, query), params.agentId)),
})
