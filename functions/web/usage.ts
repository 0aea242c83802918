import { routesWith } from '../../shared/http/route.ts'
import { costDashboard } from '../../shared/dashboard/cost.ts'
import { costAnswer, costQuery } from '../../shared/dashboard/schema.ts'
import { metricsOverview } from '../../shared/metrics/overview.ts'
import { overviewAnswer } from '../../shared/metrics/schema.ts'
import * as z from 'zod'
import { PlatformError } from '../../shared/platform/errors.ts'
import type { Table } from '../../shared/platform/table/port.ts'
import { writeTestUsage } from '../../shared/usage/write-test.ts'
import type { ConfigOf } from '../../shared/platform/config/granted.ts'
import { userGroup } from '../common/user-group.ts'

export interface UsageServices {
  table: Table
  /** On AWS, where what is only for trying things out is closed. */
  deployed: boolean
}

const route = routesWith<UsageServices>()

/** How a caller without a session is named. */
const anonymous = 'anonymous'

export const routes = [
  route({
    name: 'usage.cost',
    method: 'GET',
    path: '/api/dashboard/cost',
    summary: 'What the caller’s agents cost, by agent, day and model',
    tag: 'usage',
    guard: 'session',
    query: costQuery,
    response: costAnswer,
    errors: ['bad-request', 'unauthorized', 'internal'],
    handle: (context, { query }) => costDashboard(context, query),
  }),

  route({
    name: 'usage.metrics',
    method: 'GET',
    path: '/api/metrics',
    summary: 'Figures of the caller’s agents, messages and calls',
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
    summary: 'Write one test row of usage; where the platform is deployed, for administrators only',
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
