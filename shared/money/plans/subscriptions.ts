import { PlatformError } from '#shared/platform/errors.ts'

/** contract.md 4. */
export const subscriptionStatuses = [
  'inactive',
  'trialing',
  'active',
  'past_due',
  'canceled',
] as const

export type SubscriptionStatus = (typeof subscriptionStatuses)[number]

/** Returns whether a subscription in this state enables paid features. */
export function isPaying(status: string): boolean {
  return status === 'active' || status === 'trialing'
}

/** `isPaying` as a condition for a write of the user's profile. */
export const paying = {
  if: '(#subscription.#status = :active OR #subscription.#status = :trialing)',
  values: { active: 'active', trialing: 'trialing' },
} as const

/** Refuses the plan name `free`, which means no plan: spec.md, Plans. @throws PlatformError 402 PLAN_REQUIRED */
export function refuseFree(plan: string | null | undefined): void {
  if (plan === 'free')
    throw new PlatformError('payment-required', 'A plan is required', { code: 'PLAN_REQUIRED' })
}

/** Returns the error 402 SUBSCRIPTION_REQUIRED: contract.md 4. */
export function subscriptionRequired(): PlatformError {
  return new PlatformError('payment-required', 'An active subscription is required', {
    code: 'SUBSCRIPTION_REQUIRED',
  })
}
