import type { Billing } from '../../clients/typescript/index.ts'

/** Returns whether paid features are available: contract.md 4. */
export function isOpen({ subscriptionStatus }: Billing): boolean {
  return subscriptionStatus === 'active' || subscriptionStatus === 'trialing'
}

/** Returns a plan's name as a heading. */
export function title(plan: string): string {
  return plan.charAt(0).toUpperCase() + plan.slice(1)
}

const originKey = 'checkout-began-at'

/** Stores the path that starts a checkout, for the lifetime of the tab. */
export function storeCheckoutOrigin(path: string): void {
  sessionStorage.setItem(originKey, path)
}

/** Returns and removes the page that started the checkout: `/billing` or `/welcome`. */
export function takeCheckoutOrigin(): string {
  const origin = sessionStorage.getItem(originKey)
  sessionStorage.removeItem(originKey)
  return origin === '/billing' ? origin : '/welcome'
}
