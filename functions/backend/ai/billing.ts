import type { Billing } from '#shared/ai/gateway/caller.ts'

export const billingHeaders = {
  'x-user-plan': 'With INTERNAL_API_KEY: the plan of the user',
  'x-billing-subscription-id': 'With INTERNAL_API_KEY: the subscription of the plan',
  'x-user-email': 'With INTERNAL_API_KEY: the user’s email address; identifies administrators',
}

/** Reads the headers that name the user a trusted caller acts for. They are ignored for other callers. */
export function billingOf({ headers }: Request): Billing {
  return {
    plan: headers.get('x-user-plan')?.trim() || undefined,
    subscriptionId: headers.get('x-billing-subscription-id')?.trim() || undefined,
  }
}
