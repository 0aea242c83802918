import * as z from 'zod'
import { subscribe, subscription } from '#shared/billing/payments/subscribe.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import { planNames } from '#shared/money/plans/plans.ts'
import { subscriptionStatuses } from '#shared/money/plans/subscriptions.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { openQueues } from '#shared/platform/queues/open.ts'
import { openTable } from '#shared/platform/table/open.ts'

export type Services = Pick<Context, 'table'> & Sends<'entitlements' | 'webhook-deliveries'>

const route = routesWith<Services>()

export const routes = [
  route({
    name: 'subscriptions.create',
    method: 'POST',
    path: '/api/subscriptions/deploy',
    summary: 'Set the plan of a user',
    tag: 'subscriptions',
    guard: 'internal',
    body: subscription,
    response: z.object({
      success: z.literal(true),
      userId: z.string(),
      plan: z.enum(planNames),
      subscriptionId: z.string(),
      status: z.enum(subscriptionStatuses),
      resources: z.object({
        memory: z.number().describe('GB per container'),
        cpu: z.number().describe('vCPU per container'),
      }),
    }),
    errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found'],
    audits: ['subscription.changed'],
    handle: async (context, { body }) => {
      const { plan, ...result } = await subscribe(context, body)
      const { cpu, memoryGb } = plan.container
      return {
        success: true as const,
        ...result,
        plan: plan.name,
        resources: { memory: memoryGb, cpu },
      }
    },
  }),
]

export function wire(config: ConfigOf<'backend-subscriptions'>): Wiring<Services> {
  const table = openTable(config)
  const queuesFor = openQueues(config)
  return {
    services: (origin) => ({ table, queues: queuesFor(origin) }),
    table,
  }
}
