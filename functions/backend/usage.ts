import * as z from 'zod'
import { agentKeyIdentity } from '#shared/agents/record/ai-key.ts'
import { usageByAgent, usageByModel } from '#shared/ai/usage/queries/by-model.ts'
import { dailyUsage } from '#shared/ai/usage/queries/daily.ts'
import {
  usageAnswers,
  usageQuery,
  agentParams,
  toolQuery,
} from '#shared/ai/usage/queries/schema.ts'
import { trustedQuery } from '#shared/ai/usage/queries/scope.ts'
import { usageSummary } from '#shared/ai/usage/queries/summary.ts'
import { toolUsage } from '#shared/ai/usage/queries/tools.ts'
import { reportTools } from '#shared/ai/usage/tools/report.ts'
import { callsOf, toolReport } from '#shared/ai/usage/tools/schema.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import { metricsHistory } from '#shared/operations/metrics/history.ts'
import { metricsPerformance } from '#shared/operations/metrics/performance.ts'
import {
  historyAnswer,
  metricsHistoryQuery,
  metricsParams,
  performanceAnswer,
  summaryAnswer,
} from '#shared/operations/metrics/schema.ts'
import { metricsSummary } from '#shared/operations/metrics/summary.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { openQueues } from '#shared/platform/queues/open.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { found } from '../common/usage-answer.ts'

export type Services = Pick<Context, 'table'> & Sends<'telemetry'>

const route = routesWith<Services>()

export const routes = [
  route({
    name: 'usage.summary',
    method: 'GET',
    path: '/api/usage/summary',
    summary: 'Get usage by day, agent and model',
    description: 'Of one user or the whole platform.',
    tag: 'usage',
    guard: 'internal',
    query: usageQuery(30),
    response: usageAnswers.summary,
    errors: ['bad-request', 'unauthorized', 'forbidden', 'too-many-requests'],
    handle: async ({ table, owner }, { query }) =>
      found(await usageSummary({ table }, trustedQuery({ owner }, query))),
  }),

  route({
    name: 'usage.byAgent',
    method: 'GET',
    path: '/api/usage/by-agent/:agentId',
    summary: 'Get usage of an agent by model',
    description: 'Includes deleted agents.',
    tag: 'usage',
    guard: 'internal',
    params: agentParams,
    query: usageQuery(30),
    response: usageAnswers.byAgent,
    errors: ['bad-request', 'unauthorized', 'forbidden', 'too-many-requests'],
    handle: async ({ table, owner }, { params, query }) =>
      found(
        await usageByAgent(
          { table },
          { ...trustedQuery({ owner }, query), agentId: params.agentId },
        ),
      ),
  }),

  route({
    name: 'usage.byModel',
    method: 'GET',
    path: '/api/usage/by-model',
    summary: 'Get usage by model',
    description: 'Of one user or the whole platform.',
    tag: 'usage',
    guard: 'internal',
    query: usageQuery(30),
    response: usageAnswers.byModel,
    errors: ['bad-request', 'unauthorized', 'forbidden', 'too-many-requests'],
    handle: async ({ table, owner }, { query }) =>
      found(await usageByModel({ table }, trustedQuery({ owner }, query))),
  }),

  route({
    name: 'usage.daily',
    method: 'GET',
    path: '/api/usage/daily',
    summary: 'Get usage by day',
    description: 'Of one user or the whole platform.',
    tag: 'usage',
    guard: 'internal',
    query: usageQuery(7),
    response: usageAnswers.daily,
    errors: ['bad-request', 'unauthorized', 'forbidden', 'too-many-requests'],
    handle: async ({ table, owner }, { query }) =>
      found(await dailyUsage({ table }, trustedQuery({ owner }, query))),
  }),

  route({
    name: 'usage.tools',
    method: 'GET',
    path: '/api/usage/tools',
    summary: 'Get tool calls by tool',
    description: 'Of one user, one agent or the whole platform.',
    tag: 'usage',
    guard: 'internal',
    query: toolQuery,
    response: usageAnswers.tools,
    errors: ['bad-request', 'unauthorized', 'forbidden', 'too-many-requests'],
    handle: async ({ table, owner }, { query }) =>
      found(
        await toolUsage({ table }, { ...trustedQuery({ owner }, query), agentId: query.agentId }),
      ),
  }),

  route({
    name: 'usage.report',
    method: 'POST',
    path: '/api/usage/events',
    summary: 'Report tool calls',
    description: 'Up to 100 per request.',
    tag: 'usage',
    guard: 'agent-or-internal',
    body: toolReport,
    status: 202,
    response: z.object({ success: z.literal(true), accepted: z.number() }),
    errors: [
      'bad-request',
      'unauthorized',
      'not-found',
      'conflict',
      'too-many-requests',
      'internal',
    ],
    idempotent: true,
    notAudited: 'reported tool calls are usage events',
    handle: async (context, { body }) => ({
      success: true as const,
      accepted: await reportTools(context, { calls: callsOf(body) }),
    }),
  }),

  route({
    name: 'metrics.history',
    method: 'GET',
    path: '/api/metrics/:userId/historical',
    summary: 'Get metrics of a user by day',
    description: 'Messages, tokens, cost and errors.',
    tag: 'metrics',
    guard: 'internal',
    params: metricsParams,
    query: metricsHistoryQuery,
    response: historyAnswer,
    errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found', 'too-many-requests'],
    handle: (context, { params, query }) => metricsHistory(context, { ...params, ...query }),
  }),

  route({
    name: 'metrics.performance',
    method: 'GET',
    path: '/api/metrics/:userId/performance',
    summary: 'Get model call metrics of a user',
    description: 'The last 30 days.',
    tag: 'metrics',
    guard: 'internal',
    params: metricsParams,
    response: performanceAnswer,
    errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found', 'too-many-requests'],
    handle: (context, { params }) => metricsPerformance(context, params),
  }),

  route({
    name: 'metrics.summary',
    method: 'GET',
    path: '/api/metrics/:userId/summary',
    summary: 'Get a summary of a user’s month',
    tag: 'metrics',
    guard: 'internal',
    params: metricsParams,
    response: summaryAnswer,
    errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found', 'too-many-requests'],
    handle: (context, { params }) => metricsSummary(context, params),
  }),
]

export function wire(config: ConfigOf<'backend-usage'>): Wiring<Services> {
  const table = openTable(config)
  const queuesFor = openQueues(config)
  return {
    services: (origin) => ({ table, queues: queuesFor(origin) }),
    identity: { agentKey: agentKeyIdentity(table) },
    table,
  }
}
