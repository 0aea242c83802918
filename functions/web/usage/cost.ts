import { costDashboard } from '../../../shared/dashboard/cost.ts'
import { costAnswer, costQuery } from '../../../shared/dashboard/schema.ts'
import { route } from './services.ts'

export const getCost = route({
  method: 'GET',
  path: '/api/dashboard/cost',
  summary: 'What the caller’s agents cost, by agent, day and model',
  tag: 'usage',
  guard: 'session',
  query: costQuery,
  response: costAnswer,
  errors: ['bad-request', 'unauthorized', 'internal'],
  handle: ({ table, log, actor }, { query }) =>
    costDashboard({ table, log, userId: actor.user.id }, query.period),
})
