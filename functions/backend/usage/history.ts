import { metricsHistory } from '../../../shared/metrics/history.ts'
import { historyAnswer, historyQuery, metricsParams } from '../../../shared/metrics/schema.ts'
import { subjectOf } from '../../../shared/metrics/subject.ts'
import { route } from './services.ts'

export const getHistory = route({
  method: 'GET',
  path: '/api/metrics/:userId/historical',
  summary: 'A user’s messages, tokens, cost and errors day by day',
  tag: 'metrics',
  guard: 'internal',
  params: metricsParams,
  query: historyQuery,
  response: historyAnswer,
  errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found', 'too-many-requests'],
  handle: ({ table, actor }, { params, query }) =>
    metricsHistory(table, subjectOf(actor, params.userId), query.range),
})
