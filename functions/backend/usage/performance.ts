import { metricsPerformance } from '../../../shared/metrics/performance.ts'
import { metricsParams, performanceAnswer } from '../../../shared/metrics/schema.ts'
import { subjectOf } from '../../../shared/metrics/subject.ts'
import { route } from './services.ts'

export const getPerformance = route({
  method: 'GET',
  path: '/api/metrics/:userId/performance',
  summary: 'How a user’s calls to models went in the last 30 days',
  tag: 'metrics',
  guard: 'internal',
  params: metricsParams,
  response: performanceAnswer,
  errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found', 'too-many-requests'],
  handle: ({ table, actor }, { params }) =>
    metricsPerformance(table, subjectOf(actor, params.userId)),
})
