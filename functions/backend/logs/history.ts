import { logHistoryOf } from '../../../shared/logs/history.ts'
import { historyQuery, logHistory, logParams } from '../../../shared/logs/schema.ts'
import { route } from './services.ts'

export const getHistory = route({
  method: 'GET',
  path: '/api/logs/:agentId/history',
  summary: 'The last lines that an agent printed, oldest first',
  tag: 'logs',
  guard: 'internal',
  params: logParams,
  query: historyQuery,
  response: logHistory,
  errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found'],
  handle: (ctx, { params, query }) =>
    logHistoryOf(ctx, params.agentId, { owner: ctx.actor.userId, limit: query.limit }),
})
