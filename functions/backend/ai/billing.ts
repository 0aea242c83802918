import type { Billing } from '../../../shared/ai/caller.ts'

/** What a trusted caller says of the user it acts for; another caller's word does not count. */
export function billingOf({ headers }: Request): Billing {
  return {
    plan: headers.get('x-user-plan')?.trim() || undefined,
    subscriptionId: headers.get('x-billing-subscription-id')?.trim() || undefined,
  }
}
