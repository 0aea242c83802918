import * as z from 'zod'
import { subscribe, subscription } from '../../../shared/accounts/subscribe.ts'
import { planNames } from '../../../shared/plans/plans.ts'
import { subscriptionStatuses } from '../../../shared/plans/subscriptions.ts'
import { route } from './services.ts'

export const deploySubscription = route({
  method: 'POST',
  path: '/api/subscriptions/deploy',
  summary: 'Give a user a plan',
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
      memory: z.number().describe('GB of each container'),
      cpu: z.number().describe('vCPU of each container'),
    }),
  }),
  errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found'],
  handle: async ({ table }, { body }) => {
    const { plan, ...given } = await subscribe(table, body)
    const { cpu, memoryGb } = plan.container
    return {
      success: true as const,
      ...given,
      plan: plan.name,
      resources: { memory: memoryGb, cpu },
    }
  },
})
