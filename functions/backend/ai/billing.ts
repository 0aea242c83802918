import type { Billing } from '#shared/ai/gateway/caller.ts'
import { routingHeader } from '#shared/ai/gateway/routing/combine.ts'

export const billingHeaders = {
  'x-user-plan': 'With INTERNAL_API_KEY: the plan of the user',
  'x-billing-subscription-id': 'With INTERNAL_API_KEY: the subscription of the plan',
  'x-user-email': 'With INTERNAL_API_KEY: the user’s email address; identifies administrators',
}

/** The headers of a model call. */
export const callHeaders = {
  ...billingHeaders,
  [routingHeader]:
    'JSON of order, weights and maxPriceUsd: the choice of providers for this request',
  'x-session-id':
    'The name of the conversation. Its calls prefer the same provider, whose prompt cache has it',
}

/** Reads the headers that name the user a trusted caller acts for. They are ignored for other callers. */
export function billingOf({ headers }: Request): Billing {
  return {
    plan: headers.get('x-user-plan')?.trim() || undefined,
    subscriptionId: headers.get('x-billing-subscription-id')?.trim() || undefined,
  }
}
