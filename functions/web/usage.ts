import * as z from 'zod'
import { costDashboard } from '#shared/ai/dashboard/cost.ts'
import { costAnswer, costQuery } from '#shared/ai/dashboard/schema.ts'
import { usageOfAgents } from '#shared/ai/usage/queries/agents.ts'
import { usageBreakdown } from '#shared/ai/usage/queries/breakdown.ts'
import { usageByKey } from '#shared/ai/usage/queries/by-key.ts'
import { usageByModel } from '#shared/ai/usage/queries/by-model.ts'
import { dailyUsage } from '#shared/ai/usage/queries/daily.ts'
import { ownUsageQuery, usageAnswers } from '#shared/ai/usage/queries/schema.ts'
import { toolUsage } from '#shared/ai/usage/queries/tools.ts'
import { anonymous } from '#shared/ai/usage/shared-callers.ts'
import { writeTestUsage } from '#shared/ai/usage/write-test.ts'
import { routesWith } from '#shared/http/route.ts'
import { metricsOverview } from '#shared/operations/metrics/overview.ts'
import { overviewAnswer } from '#shared/operations/metrics/schema.ts'
import { lastDays } from '#shared/platform/days.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { found } from '../common/usage-answer.ts'

export type Services = Pick<Context, 'table'> & Can<'deployed'>

const route = routesWith<Services>()

const own = (owner: string, { days }: { days: number }) => ({ userId: owner, days: lastDays(days) })

const scoped = (owner: string, { days }: { days: number }) => ({
  scope: { userId: owner },
  days: lastDays(days),
})

export const routes = [
  route({
    name: 'usage.cost',
    method: 'GET',
    path: '/api/dashboard/cost',
    summary: 'Get costs by agent, day and model',
    tag: 'usage',
    guard: 'session',
    query: costQuery,
    response: costAnswer,
    errors: ['bad-request', 'unauthorized', 'internal'],
    handle: (context, { query }) => costDashboard(context, query),
  }),

  route({
    name: 'usage.daily',
    method: 'GET',
    path: '/api/usage/daily',
    summary: 'Get usage by day',
    tag: 'usage',
    guard: 'session',
    query: ownUsageQuery(7),
    response: usageAnswers.ownDaily,
    errors: ['bad-request', 'unauthorized'],
    handle: async ({ table, owner }, { query }) =>
      found(await dailyUsage({ table }, scoped(owner, query))),
  }),

  route({
    name: 'usage.byModel',
    method: 'GET',
    path: '/api/usage/by-model',
    summary: 'Get usage by model',
    tag: 'usage',
    guard: 'session',
    query: ownUsageQuery(30),
    response: usageAnswers.ownByModel,
    errors: ['bad-request', 'unauthorized'],
    handle: async ({ table, owner }, { query }) =>
      found(await usageByModel({ table }, scoped(owner, query))),
  }),

  route({
    name: 'usage.byAgent',
    method: 'GET',
    path: '/api/usage/by-agent',
    summary: 'Get usage by agent',
    tag: 'usage',
    guard: 'session',
    query: ownUsageQuery(30),
    response: usageAnswers.agents,
    errors: ['bad-request', 'unauthorized'],
    handle: async ({ table, owner }, { query }) =>
      found(await usageOfAgents({ table }, own(owner, query))),
  }),

  route({
    name: 'usage.byKey',
    method: 'GET',
    path: '/api/usage/by-key',
    summary: 'Get usage by API key',
    description: 'Includes deleted keys.',
    tag: 'usage',
    guard: 'session',
    query: ownUsageQuery(30),
    response: usageAnswers.byKey,
    errors: ['bad-request', 'unauthorized'],
    handle: async ({ table, owner }, { query }) =>
      found(await usageByKey({ table }, own(owner, query))),
  }),

  route({
    name: 'usage.breakdown',
    method: 'GET',
    path: '/api/usage/breakdown',
    summary: 'Get usage by day, agent and model',
    tag: 'usage',
    guard: 'session',
    query: ownUsageQuery(30),
    response: usageAnswers.breakdown,
    errors: ['bad-request', 'unauthorized'],
    handle: async ({ table, owner }, { query }) =>
      found(await usageBreakdown({ table }, own(owner, query))),
  }),

  route({
    name: 'usage.tools',
    method: 'GET',
    path: '/api/usage/tools',
    summary: 'Get tool calls by tool',
    tag: 'usage',
    guard: 'session',
    query: ownUsageQuery(7),
    response: usageAnswers.tools,
    errors: ['bad-request', 'unauthorized'],
    handle: async ({ table, owner }, { query }) =>
      found(await toolUsage({ table }, { ...scoped(owner, query), agentId: undefined })),
  }),

  route({
    name: 'usage.metrics',
    method: 'GET',
    path: '/api/metrics',
    summary: 'Get metrics of agents, messages and calls',
    tag: 'metrics',
    guard: 'session',
    response: overviewAnswer,
    errors: ['unauthorized'],
    handle: (context) => metricsOverview(context),
  }),

  route({
    name: 'usage.writeTest',
    method: 'POST',
    path: '/api/test-usage',
    summary: 'Create a test usage record',
    description: 'On a deployed platform, requires an administrator.',
    tag: 'usage',
    guard: 'optional-session',
    response: z.object({ status: z.literal('ok'), message: z.string(), timestamp: z.string() }),
    errors: ['forbidden', 'internal'],
    codes: ['ADMIN_REQUIRED'],
    notAudited: 'writes and removes a test row',
    handle: async (context) => {
      const { actor, owner = anonymous, deployed } = context
      const isAdmin = actor.type === 'user' && actor.user.isAdmin
      if (deployed && !isAdmin)
        throw new PlatformError('forbidden', 'Admin access required', { code: 'ADMIN_REQUIRED' })
      const { createdAt } = await writeTestUsage(context, { userId: owner })
      return { status: 'ok' as const, message: 'Test usage row written', timestamp: createdAt }
    },
  }),
]
