import { metricsOverview } from '../../../shared/metrics/overview.ts'
import { overviewAnswer } from '../../../shared/metrics/schema.ts'
import { route } from './services.ts'

export const getMetrics = route({
  method: 'GET',
  path: '/api/metrics',
  summary: 'Figures of the caller’s agents, messages and calls',
  tag: 'metrics',
  guard: 'session',
  response: overviewAnswer,
  errors: ['unauthorized'],
  handle: ({ table, actor }) => metricsOverview(table, actor.user.id),
})
