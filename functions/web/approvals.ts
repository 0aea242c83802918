import { Paged } from '#shared/http/paged.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import { decideApproval } from '#shared/permits/approvals/decide.ts'
import { showApproval } from '#shared/permits/approvals/find.ts'
import { listApprovals } from '#shared/permits/approvals/list.ts'
import {
  approvalDecision,
  approvalList,
  approvalParams,
  approvalQuery,
  approvalView,
} from '#shared/permits/approvals/schema.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { openQueues } from '#shared/platform/queues/open.ts'
import { userGroup } from '../common/user-group.ts'

export type Services = Pick<Context, 'table'> &
  Sends<'approvals' | 'approval-turns' | 'webhook-deliveries'>

const route = routesWith<Services>()

const tag = 'approvals'

export const routes = [
  route({
    name: 'approvals.list',
    method: 'GET',
    path: '/api/approvals',
    summary: 'List approvals',
    description:
      'Newest first, without their requests. They are stored for 30 days. With `state` or `agentId`, a page can be empty although another one follows.',
    tag,
    guard: 'session',
    query: approvalQuery,
    response: approvalList,
    pages: true,
    errors: ['bad-request', 'unauthorized'],
    handle: async (ctx, { query }) => {
      const { items, next } = await listApprovals(ctx, query)
      return new Paged({ approvals: items }, next)
    },
  }),

  route({
    name: 'approvals.get',
    method: 'GET',
    path: '/api/approvals/:id',
    summary: 'Get an approval with its request',
    tag,
    guard: 'session',
    params: approvalParams,
    response: approvalView,
    errors: ['unauthorized', 'not-found'],
    handle: (ctx, { params }) => showApproval(ctx, params),
  }),

  route({
    name: 'approvals.decide',
    method: 'POST',
    path: '/api/approvals/:id',
    summary: 'Approve or deny a request of an agent',
    description:
      'An approved request is carried out once, and the agent is told the outcome. Decides once. A payment needs the scope money, everything else the scope write.',
    tag,
    guard: 'session',
    scope: ['write', 'money'],
    params: approvalParams,
    body: approvalDecision,
    response: approvalView,
    errors: ['bad-request', 'unauthorized', 'not-found', 'conflict', 'unavailable'],
    codes: ['APPROVAL_DECIDED'],
    audits: ['approval.approved', 'approval.denied', 'policy.changed'],
    handle: (ctx, { params, body }) => decideApproval(ctx, { ...params, ...body }),
  }),
]

export function wire(config: ConfigOf<'web-approvals'>): Wiring<Services> {
  const queuesFor = openQueues(config)
  return userGroup<Services>(config, (table) => (origin) => ({
    table,
    queues: queuesFor(origin),
  }))
}
