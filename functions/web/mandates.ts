import { agentParams } from '#shared/agents/record/schema.ts'
import { Paged } from '#shared/http/paged.ts'
import { routesWith } from '#shared/http/route.ts'
import { listAgentPayments } from '#shared/network/agent-payments/list.ts'
import { paymentList, paymentsQuery } from '#shared/network/agent-payments/schema.ts'
import { deleteMandate } from '#shared/permits/mandates/delete.ts'
import { getMandate } from '#shared/permits/mandates/get.ts'
import { mandateDeleted, mandateView, newMandate } from '#shared/permits/mandates/schema.ts'
import { setMandate } from '#shared/permits/mandates/set.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { agentsLimit } from './agents/limit.ts'

export type Services = Pick<Context, 'table'>

const route = routesWith<Services>({ limits: [agentsLimit] })

const path = '/api/agents/:id/mandate'

/** Routes of mandates and payments of agents. */
export const routes = [
  route({
    name: 'agents.mandate.get',
    method: 'GET',
    path,
    summary: 'Get the mandate of an agent',
    tag: 'wallets',
    guard: 'session',
    scope: ['read', 'money'],
    params: agentParams,
    response: mandateView,
    errors: ['unauthorized', 'not-found', 'too-many-requests'],
    handle: (ctx, { params: { id } }) => getMandate(ctx, { agentId: id }),
  }),

  route({
    name: 'agents.mandate.set',
    method: 'PUT',
    path,
    summary: 'Set the mandate of an agent',
    description:
      'What the agent may pay by x402. Replaces the mandate. A key that only has the scope `write` can lower it.',
    tag: 'wallets',
    guard: 'session',
    scope: ['write', 'money'],
    params: agentParams,
    body: newMandate,
    response: mandateView,
    errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found', 'too-many-requests'],
    audits: ['mandate.changed'],
    handle: (ctx, { params: { id }, body }) => setMandate(ctx, { agentId: id, mandate: body }),
  }),

  route({
    name: 'agents.mandate.delete',
    method: 'DELETE',
    path,
    summary: 'Delete the mandate of an agent',
    description: 'The agent pays nothing more. A payment that was signed can still be settled.',
    tag: 'wallets',
    guard: 'session',
    scope: ['write', 'money'],
    params: agentParams,
    response: mandateDeleted,
    errors: ['unauthorized', 'not-found', 'too-many-requests'],
    audits: ['mandate.changed'],
    handle: async (ctx, { params: { id } }) => {
      await deleteMandate(ctx, { agentId: id })
      return { success: true as const }
    },
  }),

  route({
    name: 'agents.payments.list',
    method: 'GET',
    path: '/api/agents/:id/payments',
    summary: 'List the payments of an agent',
    description: 'Payments by x402, newest first. With a month, the statement of that month.',
    tag: 'wallets',
    guard: 'session',
    scope: ['read', 'money'],
    params: agentParams,
    query: paymentsQuery,
    response: paymentList,
    pages: true,
    errors: ['bad-request', 'unauthorized', 'not-found', 'too-many-requests'],
    handle: async (ctx, { params, query }) => {
      const { items, next } = await listAgentPayments(ctx, { agentId: params.id, ...query })
      return new Paged({ payments: items }, next)
    },
  }),
]
