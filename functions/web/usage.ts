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
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { lastDays } from '#shared/platform/days.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { UserActor } from '#shared/platform/identity/actor.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { found } from '../common/usage-answer.ts'
import { userGroup } from '../common/user-group.ts'

export interface UsageServices {
  table: Table
  /** True on AWS. Disables routes that are only for development. */
  deployed: boolean
}

const route = routesWith<UsageServices>()

const own = ({ user }: UserActor, { days }: { days: number }) => ({
  userId: user.id,
  days: lastDays(days),
})

const scoped = ({ user }: UserActor, { days }: { days: number }) => ({
  scope: { userId: user.id },
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
    handle: async ({ table, actor }, { query }) =>
      found(await dailyUsage({ table }, scoped(actor, query))),
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
    handle: async ({ table, actor }, { query }) =>
      found(await usageByModel({ table }, scoped(actor, query))),
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
    handle: async ({ table, actor }, { query }) =>
      found(await usageOfAgents({ table }, own(actor, query))),
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
    handle: async ({ table, actor }, { query }) =>
      found(await usageByKey({ table }, own(actor, query))),
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
    handle: async ({ table, actor }, { query }) =>
      found(await usageBreakdown({ table }, own(actor, query))),
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
    handle: async ({ table, actor }, { query }) =>
      found(await toolUsage({ table }, { ...scoped(actor, query), agentId: undefined })),
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
      const { actor, deployed } = context
      const user = actor.type === 'user' ? actor.user : undefined
      if (deployed && user?.isAdmin !== true)
        throw new PlatformError('forbidden', 'Admin access required', { code: 'ADMIN_REQUIRED' })
      const { createdAt } = await writeTestUsage(context, { userId: user?.id ?? anonymous })
      return { status: 'ok' as const, message: 'Test usage row written', timestamp: createdAt }
    },
  }),
]

export function wire(config: ConfigOf<'web-usage'>) {
  return userGroup<UsageServices>(config, (table) => ({ table, deployed: config.deployed }))
}
