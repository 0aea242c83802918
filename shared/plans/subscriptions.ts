/** contract.md 4. */
export const subscriptionStatuses = [
  'inactive',
  'trialing',
  'active',
  'past_due',
  'canceled',
] as const

export type SubscriptionStatus = (typeof subscriptionStatuses)[number]

/** Whether a subscription in this state opens what is paid for. */
export function isPaying(status: string): boolean {
  return status === 'active' || status === 'trialing'
}
