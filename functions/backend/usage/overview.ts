import { metricsParams, summaryAnswer } from '../../../shared/metrics/schema.ts'
import { subjectOf } from '../../../shared/metrics/subject.ts'
import { metricsSummary } from '../../../shared/metrics/summary.ts'
import { route } from './services.ts'

export const getOverview = route({
  method: 'GET',
  path: '/api/metrics/:userId/summary',
  summary: 'A user’s month at a glance',
  tag: 'metrics',
  guard: 'internal',
  params: metricsParams,
  response: summaryAnswer,
  errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found', 'too-many-requests'],
  handle: ({ table, actor }, { params }) => metricsSummary(table, subjectOf(actor, params.userId)),
})
