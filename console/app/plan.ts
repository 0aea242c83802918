import type { Billing } from '../../clients/typescript/index.ts'

/** Whether paid features are open: contract.md 4. */
export function isOpen({ subscriptionStatus }: Billing): boolean {
  return subscriptionStatus === 'active' || subscriptionStatus === 'trialing'
}

/** A plan's name as a heading. */
export function title(plan: string): string {
  return plan.charAt(0).toUpperCase() + plan.slice(1)
}
