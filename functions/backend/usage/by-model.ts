import { usageByModel } from '../../../shared/usage/queries/by-model.ts'
import { usageAnswers, usageQuery } from '../../../shared/usage/queries/schema.ts'
import { askedFor } from '../../../shared/usage/queries/scope.ts'
import { found, route } from './services.ts'

export const getByModel = route({
  method: 'GET',
  path: '/api/usage/by-model',
  summary: 'Usage by model, of a user or the whole platform',
  tag: 'usage',
  guard: 'internal',
  query: usageQuery(30),
  response: usageAnswers.byModel,
  errors: ['bad-request', 'unauthorized', 'forbidden', 'too-many-requests'],
  handle: async ({ table, actor }, { query }) =>
    found(await usageByModel(table, askedFor(actor, query))),
})
