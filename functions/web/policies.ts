import { requireAgent } from '#shared/agents/record/find.ts'
import { agentParams } from '#shared/agents/record/schema.ts'
import { routesWith } from '#shared/http/route.ts'
import { pastPayments } from '#shared/network/agent-payments/past.ts'
import { pastMessages } from '#shared/network/bus/past.ts'
import { getPolicy } from '#shared/permits/policy/get.ts'
import { testPolicy } from '#shared/permits/policy/replay.ts'
import {
  policyChange,
  policyTest,
  policyTestResult,
  policyView,
} from '#shared/permits/policy/schema.ts'
import { setPolicy } from '#shared/permits/policy/set.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { pastBrokerRequests } from '#shared/tools/broker/past.ts'
import { pastToolCalls } from '#shared/tools/connections/use/past.ts'
import { agentsLimit } from './agents/limit.ts'

export type Services = Pick<Context, 'table'>

const route = routesWith<Services>({ limits: [agentsLimit] })

const tag = 'agents'

export const routes = [
  route({
    name: 'agents.policy.get',
    method: 'GET',
    path: '/api/agents/:id/policy',
    summary: 'Get the policy of an agent',
    tag,
    guard: 'session',
    params: agentParams,
    response: policyView(),
    errors: ['unauthorized', 'not-found', 'too-many-requests'],
    handle: async (ctx, { params }) => {
      const agent = await requireAgent(ctx, { agentId: params.id, owner: ctx.owner })
      return getPolicy(ctx, agent)
    },
  }),

  route({
    name: 'agents.policy.set',
    method: 'PUT',
    path: '/api/agents/:id/policy',
    summary: 'Set the policy of an agent',
    description:
      'Replaces it for the agent’s next action. A key without the scope `money` cannot loosen it for payments.',
    tag,
    guard: 'session',
    params: agentParams,
    body: policyChange(),
    response: policyView(),
    errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found', 'too-many-requests'],
    audits: ['policy.changed'],
    handle: (ctx, { params, body }) => setPolicy(ctx, { agentId: params.id, ...body }),
  }),

  route({
    name: 'agents.policy.test',
    method: 'POST',
    path: '/api/agents/:id/policy/test',
    summary: 'Test a policy on an agent’s records',
    description:
      'Decides the recorded actions of the last days by the current policy, or by another one. Changes nothing.',
    tag,
    guard: 'session',
    scope: 'read',
    params: agentParams,
    body: policyTest(),
    response: policyTestResult(),
    errors: ['bad-request', 'unauthorized', 'not-found', 'too-many-requests'],
    notAudited: 'changes nothing',
    handle: (ctx, { params, body }) =>
      testPolicy(ctx, {
        agentId: params.id,
        ...body,
        records: [pastBrokerRequests, pastMessages, pastPayments, pastToolCalls],
      }),
  }),
]
