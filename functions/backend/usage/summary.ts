import { usageAnswers, usageQuery } from '../../../shared/usage/queries/schema.ts'
import { askedFor } from '../../../shared/usage/queries/scope.ts'
import { usageSummary } from '../../../shared/usage/queries/summary.ts'
import { found, route } from './services.ts'

export const getSummary = route({
  method: 'GET',
  path: '/api/usage/summary',
  summary: 'Usage by day, agent and model, of a user or the whole platform',
  tag: 'usage',
  guard: 'internal',
  query: usageQuery(30),
  response: usageAnswers.summary,
  errors: ['bad-request', 'unauthorized', 'forbidden', 'too-many-requests'],
  handle: async ({ table, actor }, { query }) =>
    found(await usageSummary(table, askedFor(actor, query))),
})
