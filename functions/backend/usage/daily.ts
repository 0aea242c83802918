import { dailyUsage } from '../../../shared/usage/queries/daily.ts'
import { usageAnswers, usageQuery } from '../../../shared/usage/queries/schema.ts'
import { askedFor } from '../../../shared/usage/queries/scope.ts'
import { found, route } from './services.ts'

export const getDaily = route({
  method: 'GET',
  path: '/api/usage/daily',
  summary: 'Usage by day, of a user or the whole platform',
  tag: 'usage',
  guard: 'internal',
  query: usageQuery(7),
  response: usageAnswers.daily,
  errors: ['bad-request', 'unauthorized', 'forbidden', 'too-many-requests'],
  handle: async ({ table, actor }, { query }) =>
    found(await dailyUsage(table, askedFor(actor, query))),
})
