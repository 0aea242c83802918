import type { HasModels } from '#shared/ai/gateway/context.ts'
import { describeCatalogue } from '#shared/ai/gateway/models/describe-catalogue.ts'
import { createProviders } from '#shared/ai/gateway/providers/provider.ts'
import { estimate } from '#shared/billing/estimates/estimate.ts'
import { reprice } from '#shared/billing/estimates/reprice.ts'
import {
  estimateAnswer,
  estimateQuestion,
  repriceAnswer,
  repriceQuestion,
} from '#shared/billing/estimates/schema.ts'
import { routesWith } from '#shared/http/route.ts'
import { type PlanCaps, planCapsOf } from '#shared/money/plans/spend-cap.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { userGroup } from '../common/user-group.ts'

export type Services = Pick<Context, 'table'> & HasModels & { planCaps: PlanCaps }

const route = routesWith<Services>()

export const routes = [
  route({
    name: 'estimates.estimate',
    method: 'POST',
    path: '/api/estimate',
    summary: 'Estimate the cost of a call',
    description: 'Per call and per month.',
    tag: 'usage',
    guard: 'session',
    body: estimateQuestion,
    response: estimateAnswer,
    errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found', 'unavailable'],
    codes: ['MODEL_NOT_FOUND'],
    notAudited: 'reads',
    handle: (context, { body }) => estimate(context, body),
  }),

  route({
    name: 'estimates.reprice',
    method: 'POST',
    path: '/api/usage/reprice',
    summary: 'Estimate past usage with another model',
    tag: 'usage',
    guard: 'session',
    body: repriceQuestion,
    response: repriceAnswer,
    errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found'],
    codes: ['MODEL_NOT_FOUND'],
    notAudited: 'reads',
    handle: (context, { body }) => reprice(context, body),
  }),
]

export function wire(config: ConfigOf<'web-estimates'>) {
  const providers = createProviders(config)
  const catalogue = describeCatalogue(providers)
  const planCaps = planCapsOf(config)
  return userGroup<Services>(config, (table) => ({
    table,
    providers,
    catalogue,
    planCaps,
  }))
}
